# shellcheck shell=bash
# Variables come from scripts/lab, which is checked together with this:
# shellcheck disable=SC2154,SC2034
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# vm.sh - start the lab's guests, wait for their job, stop them
#
# Uses KROOT, KVER, KIMAGE and INITRAMFS of kernel.sh, the options of
# scripts/lab, and work, the temporary folder of this run:
#   lab/             shared with the guests as /run/lab (see lab.d/guest)
#   stdout, stderr   what the command wrote, as it comes
#   console-ROLE     the kernel's messages
#   monitor-ROLE.*   pipes to QEMU's monitor

# How long a guest may take to come up. Emulated on a busy machine it has been
# seen to need 20 s; a healthy run takes 6.
boot_seconds=${RBENCH_LAB_BOOT_SECONDS:-90}
vms=()
monitors=()
interactive=0
accel_boot= # words of the kernel's command line

# Waits without starting a process.
exec {never}<> <(:)
pause() { read -r -t "$1" -u "$never" || true; }

# A device file for KVM says nothing: there are machines where it opens and
# guests hang before their first instruction of the kernel. So a guest must
# have been seen in user space, once per boot of this machine and kernel image.
vm_kvm_works() {
	local verdict=$CACHE/kvm-$KVER boot seen answer log
	[[ -w /dev/kvm ]] || return 1
	boot=$(</proc/sys/kernel/random/boot_id)
	if [[ -f $verdict ]]; then
		read -r seen answer <"$verdict"
		[[ $seen == "$boot" ]] && { [[ $answer == yes ]]; return; }
	fi
	log=$work/console-probe
	timeout -k 1 8 qemu-system-x86_64 -accel kvm -cpu host -m 512M -nodefaults \
		-display none -no-reboot -nic none -serial "file:$log" \
		-kernel "$KIMAGE" -initrd "$INITRAMFS" \
		-append "console=ttyS0 quiet panic=-1 rbench.probe" >/dev/null 2>&1 || true
	answer=no
	grep -qs rbench-lab-probe-ok "$log" && answer=yes
	echo "$boot $answer" >"$verdict"
	[[ $answer == yes ]]
}

vm_choose_accel() {
	if [[ $opt_accel == auto ]]; then
		if vm_kvm_works; then opt_accel=kvm; else opt_accel=tcg; fi
	fi
	case $opt_accel in
	kvm) accel=(-accel kvm -cpu host) accel_text=KVM ;;
	# Emulated, "rep movsb" copies a byte at a time: without the flags
	# that make the kernel and libc choose it, copies are twice as fast.
	# And where each process has its code at the same addresses, what was
	# translated for one serves the next: starting programs is a third cheaper.
	tcg)
		accel=(-accel "tcg,thread=multi" -cpu "max,-erms,-fsrm")
		accel_boot=norandmaps accel_text=emulated
		;;
	# Where all sleep, time jumps to the next timer.
	icount)
		[[ -z $opt_two_guests ]] || die 2 "--accel icount: two guests have no clock in common"
		((opt_cpus == 1)) || [[ -z $opt_cpus_given ]] || die 2 "--accel icount: it has one CPU, not $opt_cpus"
		opt_cpus=1
		accel=(-accel "tcg,thread=single" -icount "shift=0,sleep=off" -cpu "max,-erms,-fsrm")
		accel_text="emulated, time by instructions"
		;;
	*) die 2 "--accel: auto, kvm, tcg or icount" ;;
	esac
}

# vm_start ROLE [QEMU ARGS...]
vm_start() {
	local role=$1 cpus=$opt_cpus
	shift
	[[ $role == solo || -n $opt_cpus_given ]] || cpus=1
	mkfifo "$work/monitor-$role.in" "$work/monitor-$role.out"
	local -a args=(
		"${accel[@]}" -m "$opt_mem" -smp "$cpus"
		-kernel "$KIMAGE" -initrd "$INITRAMFS"
		# The TSC is the host's and steady: without tsc=reliable the
		# kernel's watchdog may reject it on a busy host and clock reads
		# then cost a trap each.
		-append "console=ttyS0 quiet loglevel=4 panic=-1 nokaslr mitigations=off tsc=reliable no_timer_check nowatchdog init_on_alloc=0 cryptomgr.notests random.trust_cpu=on $accel_boot rbench.role=$role"
		-nodefaults -display none -no-reboot -nic none
		-serial "file:$work/console-$role"
		-chardev "pipe,id=monitor,path=$work/monitor-$role" -mon "chardev=monitor,mode=control"
		-fsdev "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap"
		-device "virtio-9p-pci,fsdev=host,mount_tag=host"
		-fsdev "local,id=lab,path=$work/lab,security_model=none"
		-device "virtio-9p-pci,fsdev=lab,mount_tag=lab"
		-fsdev "local,id=out,path=$out_dir,security_model=none"
		-device "virtio-9p-pci,fsdev=out,mount_tag=out"
		-device virtio-rng-pci -device virtio-serial-pci "$@"
	)
	# The guest must not outlive this script, however that ends; and Ctrl-C
	# is for this script, not for QEMU.
	local -a run=(setsid) terminal=(/dev/null "$work/qemu-$role.out")
	if ((interactive)) && [[ $role != b ]]; then
		run=() terminal=(/dev/tty /dev/tty)
	fi
	"${run[@]}" setpriv --pdeathsig KILL qemu-system-x86_64 "${args[@]}" \
		<"${terminal[0]}" >"${terminal[1]}" 2>"$work/qemu-$role.log" &
	vms+=($!)
	# QEMU sends a greeting and wants this before any command.
	local pipe
	exec {pipe}<>"$work/monitor-$role.in"
	monitors+=("$pipe")
	echo '{"execute":"qmp_capabilities"}' >&"$pipe"
}

vm_output_args() {
	if ((interactive)); then
		printf '%s\n' -chardev stdio,id=tty,signal=off -device virtconsole,chardev=tty
		return 0
	fi
	printf '%s\n' \
		-chardev "file,id=stdout,path=$work/stdout" -device virtserialport,chardev=stdout,name=stdout \
		-chardev "file,id=stderr,path=$work/stderr" -device virtserialport,chardev=stderr,name=stderr
}

# One virtual cable and a bell (see lab.d/guest) between two guests.
vm_link_args() {
	local mine=$1 theirs=$2 mac=$3 bell=$4
	printf '%s\n' \
		-netdev "dgram,id=cable,local.type=unix,local.path=$work/cable-$mine,remote.type=unix,remote.path=$work/cable-$theirs" \
		-device "virtio-net-pci,id=nic,netdev=cable,mac=52:54:00:12:34:$mac,host_mtu=$((opt_mtu > 9000 ? opt_mtu : 9000))" \
		-chardev "socket,id=bell,path=$work/bell,$bell" -device virtserialport,chardev=bell,name=bell
}

vm_start_all() {
	local -a output
	mapfile -t output < <(vm_output_args)
	if [[ $opt_two_guests ]]; then
		local -a link_a link_b
		mapfile -t link_a < <(vm_link_args a b 01 "server=on,wait=off")
		mapfile -t link_b < <(vm_link_args b a 02 "reconnect=1")
		vm_start a "${output[@]}" "${link_a[@]}"
		vm_start b "${link_b[@]}"
	else
		vm_start solo "${output[@]}"
	fi
}

vm_stop_all() {
	local vm
	for vm in "${vms[@]}"; do
		kill -KILL "$vm" 2>/dev/null || true
	done
	wait 2>/dev/null || true
	vms=()
}

vm_all_alive() {
	local vm
	# one by one: of several, kill is content with any
	for vm in "${vms[@]}"; do
		kill -0 "$vm" 2>/dev/null || return 1
	done
}

# The first guest asks through a file for the cable to be cut or restored.
vm_serve_cable() {
	local request=$work/lab/cable state up monitor
	[[ -f $request ]] || return 0
	state=$(<"$request")
	up=false
	[[ $state == on ]] && up=true
	for monitor in "${monitors[@]}"; do
		echo "{\"execute\":\"set_link\",\"arguments\":{\"name\":\"nic\",\"up\":$up}}" >&"$monitor"
	done
	# The answer is the proof that it is done: one per guest.
	rm -f "$request"
}

# vm_wait_for FILE SECONDS: 1 when the time is up, 2 when a guest has gone.
vm_wait_for() {
	local file=$1 deadline=$((SECONDS + $2))
	until [[ -s $file ]]; do
		((SECONDS < deadline)) || return 1
		vm_all_alive || { [[ -s $file ]] && return 0; return 2; }
		vm_serve_cable
		pause 0.1
	done
}

# vm_give_up WHAT STATUS: one line, the end of the consoles, and out.
vm_give_up() {
	local log
	vm_stop_all
	case $2 in
	1) say "error: $1: the time is up" ;;
	*) say "error: $1: the guest stopped" ;;
	esac
	for log in "$work"/qemu-*.log "$work"/console-*; do
		[[ -s $log ]] || continue
		echo "--- end of ${log##*/}" >&2
		tail -n 15 "$log" | tr -d '\r' >&2
	done
	exit 1
}

vm_wait_ready() {
	local role rc=0
	for role in "$@"; do
		vm_wait_for "$work/lab/ready-$role" "$boot_seconds" || rc=$?
		((rc == 0)) || vm_give_up "booting" "$rc"
	done
}

# Shows a stream while it grows; ends when its writer, the guest, has gone.
vm_follow() {
	tail -q -c +1 -s 0.1 --pid "${vms[0]}" -f "$1" 2>/dev/null
}

# vm_run_shell: as vm_run_job, with the terminal joined to the guest's.
vm_run_shell() {
	local rc=0 status
	vm_start_all
	if [[ $opt_two_guests ]]; then vm_wait_ready a b; else vm_wait_ready solo; fi
	# No time limit but a day's, and not an error when the guest powers off.
	vm_wait_for "$work/lab/status" 86400 || rc=$?
	status=0
	[[ ! -s $work/lab/status ]] || status=$(<"$work/lab/status")
	vm_stop_all
	return "$status"
}

# vm_run_job: runs the job that was written to lab/job-*; its exit status.
vm_run_job() {
	local rc=0 status followers=()
	: >"$work/stdout"
	: >"$work/stderr"
	vm_start_all
	vm_follow "$work/stdout" &
	followers+=($!)
	vm_follow "$work/stderr" >&2 &
	followers+=($!)
	if [[ $opt_two_guests ]]; then vm_wait_ready a b; else vm_wait_ready solo; fi
	say_verbose "guest is up after $SECONDS s"
	vm_wait_for "$work/lab/status" "$opt_timeout" || rc=$?
	((rc == 0)) || vm_give_up "running ${job[*]}" "$rc"
	status=$(<"$work/lab/status")
	# What was written has reached the files; the followers print the rest.
	kill -KILL "${vms[@]}" 2>/dev/null || true
	wait "${followers[@]}" 2>/dev/null || true
	vm_stop_all
	return "$status"
}
