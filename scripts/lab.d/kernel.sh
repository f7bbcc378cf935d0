# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# kernel.sh - a distribution kernel for the lab's guest, kept in the cache
#
# The package is downloaded and unpacked beside the system, never installed.
# Sets KROOT (the unpacked package: boot/, lib/modules/), KVER (its release),
# KIMAGE (what QEMU boots) and INITRAMFS. Uses CACHE, say() and
# die(); temp, a folder under way in the cache, goes at the end of scripts/lab.

# Loaded by the initramfs with what they depend on: what the root file system
# needs, then the rest. Without crc32_generic 'rdma link add ... type rxe' fails
# with ENOENT. Any other module of the package can be had with modprobe.
boot_modules=(virtio_pci 9pnet_virtio 9p overlay)
lab_modules=(rdma_rxe rdma_ucm ib_umad crc32_generic veth sch_netem
	virtio_console virtio_rng virtio_net)

# Parts of the package that no guest here has a device for: 60% of its size.
kernel_unused=(sound drivers/gpu drivers/media drivers/staging drivers/iio
	drivers/scsi drivers/usb drivers/hid drivers/input drivers/mtd
	drivers/net/wireless drivers/net/usb drivers/hwmon fs/xfs fs/btrfs)

# Names the image package for a version ('' for the distribution's default),
# by asking the meta packages: exact versions come and go in the archive.
kernel_package() {
	local want=$1 meta package
	for meta in "linux-image-$want-amd64" linux-image-amd64; do
		package=$(apt-cache depends "$meta" 2>/dev/null |
			awk '/Depends: linux-image/ {print $2; exit}')
		if [[ $package == linux-image-"$want"* ]]; then
			echo "$package"
			return 0
		fi
	done
	# No meta package for it: the newest image of that series, if any.
	apt-cache pkgnames "linux-image-$want" 2>/dev/null |
		grep -E "^linux-image-${want//./\\.}[.0-9][^-]*(-[0-9]+)?-amd64$" |
		sort -V | tail -n 1 | grep .
}

# QEMU starts an uncompressed image at once, but emulating the kernel's own
# decompressor costs a second or two. Leaves the packed one where that fails.
kernel_unpack_image() {
	local packed=$1 plain=$2 magic tool at
	for magic in '\xFD7zXZ\x00:xz' '\x28\xB5\x2F\xFD:zstd' '\x1F\x8B\x08:gzip'; do
		tool=${magic#*:}
		command -v "$tool" >/dev/null || continue
		at=$(LC_ALL=C grep -aobP -m 1 "${magic%:*}" "$packed" | head -n 1 | cut -d: -f1)
		[[ -n $at ]] || continue
		# The packed stream is followed by other data, which the tools report.
		tail -c "+$((at + 1))" "$packed" | "$tool" -dc >"$plain" 2>/dev/null || true
		[[ $(head -c 4 "$plain" | tr -d '\0') == $'\x7fELF' ]] && return 0
	done
	rm -f "$plain"
}

kernel_fetch() {
	local want=$1 dir=$2 package unused version
	package=$(kernel_package "$want") || package=
	if [[ -z $package ]] && ((EUID == 0)); then
		apt-get update -q >/dev/null 2>&1 || true
		package=$(kernel_package "$want") || package=
	fi
	[[ -n $package ]] ||
		die 77 "no package linux-image-${want:+$want*-}amd64 known to apt; as root: apt-get update (or --kernel DIR, an unpacked kernel package)"
	say "downloading $package (once)"
	temp=$(mktemp -d "$CACHE/fetch.XXXXXX")
	(cd "$temp" && apt-get download -q "$package" >log 2>&1) ||
		die 1 "cannot download $package: $(grep -m 1 '^E:' "$temp/log" || tail -n 1 "$temp/log")"
	dpkg-deb -x "$temp"/*.deb "$temp/tree"
	[[ -d $temp/tree/lib/modules ]] || ln -s usr/lib "$temp/tree/lib"
	version=$(ls "$temp/tree/lib/modules")
	for unused in "${kernel_unused[@]}"; do
		rm -rf "$temp/tree/lib/modules/$version/kernel/$unused"
	done
	depmod -b "$temp/tree" "$version"
	kernel_unpack_image "$temp/tree/boot/vmlinuz-$version" "$temp/tree/boot/vmlinux-$version"
	rm -rf "$dir"
	mv "$temp/tree" "$dir"
	rm -rf "$temp"
}

# The initramfs: busybox, the modules and lab.d/init.
kernel_make_initramfs() {
	local out=$1 module file name list
	temp=$(mktemp -d "$CACHE/initramfs.XXXXXX")
	list=$temp/modules-boot
	mkdir -p "$temp"/{bin,proc,sys,dev,host,rw,newroot,lib}
	cp "$(command -v busybox)" "$temp/bin/busybox"
	cp "$LABD/init" "$temp/init"
	: >"$temp/modules-boot"
	: >"$temp/modules-rest"
	for module in "${boot_modules[@]}" : "${lab_modules[@]}"; do
		[[ $module == : ]] && list=$temp/modules-rest
		# 'builtin NAME' needs no file; an unknown module is this kernel's lack.
		while read -r _ file _; do
			name=$(basename "$file")
			name=${name%%.ko*}
			[[ -f $temp/lib/$name.ko ]] && continue
			echo "$name" >>"$list"
			case $file in
			*.xz) xz -dc "$file" ;;
			*.zst) zstd -dcq "$file" ;;
			*.gz) gzip -dc "$file" ;;
			*) cat "$file" ;;
			esac >"$temp/lib/$name.ko"
		done < <(modprobe -d "$KROOT" -S "$KVER" --show-depends "$module" 2>/dev/null |
			grep '^insmod')
	done
	[[ -f $temp/lib/rdma_rxe.ko ]] ||
		die 77 "kernel $KVER has no module rdma_rxe"
	(cd "$temp" && find . | cpio -o -H newc -R 0:0 --quiet) | gzip -1 >"$out.$$"
	# The older ones were for older states of these scripts.
	rm -f "${out%-*}"-????????????
	mv "$out.$$" "$out"
	rm -rf "$temp"
}

# kernel_prepare WANT: '' (the distribution's), a series such as 6.12, or a
# folder that holds an unpacked kernel package.
kernel_prepare() {
	local want=$1 key
	mkdir -p "$CACHE"
	exec {kernel_lock}>"$CACHE/lock"
	flock -w 600 "$kernel_lock" || die 1 "another lab holds $CACHE/lock for ten minutes"
	if [[ $want == */* ]]; then
		KROOT=$(realpath "$want")
	else
		KROOT=$CACHE/kernel-${want:-default}
		[[ -d $KROOT ]] || kernel_fetch "$want" "$KROOT"
	fi
	KIMAGE=$(find "$KROOT/boot" -name 'vmlinuz-*' | sort -V | tail -n 1)
	[[ -n $KIMAGE ]] || die 1 "no boot/vmlinuz-* in $KROOT"
	KVER=${KIMAGE##*/vmlinuz-}
	[[ -f $KROOT/boot/vmlinux-$KVER ]] && KIMAGE=$KROOT/boot/vmlinux-$KVER
	key=$(cat "$LABD/init" <(echo "$KROOT ${boot_modules[*]} ${lab_modules[*]}") | sha256sum | cut -c1-12)
	INITRAMFS=$CACHE/initramfs-$KVER-$key
	[[ -f $INITRAMFS ]] || kernel_make_initramfs "$INITRAMFS"
	exec {kernel_lock}>&-
}
