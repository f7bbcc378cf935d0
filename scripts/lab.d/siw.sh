# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# siw.sh - the kernel's software iWARP, built for the lab's guest, in the cache
#
# Distributions leave the module siw out. It is built outside of the kernel's
# tree, from the source and the headers of the very version that the guest boots.
# Sets SIW, the module. Uses KVER and KIMAGE of kernel.sh, CACHE, say(), die()
# and temp, as that does.

# The package's version, as the kernel tells it of itself.
siw_version() {
	grep -aoPm 1 'PREEMPT_DYNAMIC Debian \K[^ ]+' "$KIMAGE" | head -n 1
}

# Fetches the packages into temp; fails where the archive has them no more.
siw_fetch() {
	local version=$1 series
	series=$(cut -d. -f1,2 <<<"$KVER")
	(cd "$temp" && apt-get download -q "linux-source-$series=$version" \
		"linux-headers-$KVER=$version" "linux-headers-${KVER%-amd64}-common=$version" \
		"linux-kbuild-$series=$version" >log 2>&1)
}

siw_unpack() {
	local package
	for package in "$temp"/linux-{headers,kbuild}-*.deb; do
		dpkg-deb -x "$package" "$temp/tree" || return
	done
	# the headers name each other by where they would be installed
	sed -i "s|/usr/src/|$temp/tree/usr/src/|" "$temp/tree/usr/src/linux-headers-$KVER/Makefile"
	# of a gigabyte these few files
	dpkg-deb --fsys-tarfile "$temp"/linux-source-*.deb |
		tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |
		tar -xJ -C "$temp" --wildcards '*/drivers/infiniband/sw/siw/*' --strip-components=4
}

siw_build() {
	make -s -C "$temp/tree/usr/src/linux-headers-$KVER" "M=$temp/siw" \
		CONFIG_RDMA_SIW=m CC=gcc modules >"$temp/log" 2>&1
}

# siw_prepare: 77 where it cannot be had.
siw_prepare() {
	local version log=$CACHE/siw.log
	SIW=$CACHE/siw-$KVER.ko
	exec {kernel_lock}>"$CACHE/lock"
	flock -w 900 "$kernel_lock" || die 1 "another lab holds $CACHE/lock for fifteen minutes"
	if [[ ! -f $SIW ]]; then
		need_programs build gcc make
		version=$(siw_version) || die 77 "siw: the kernel does not tell its package's version"
		temp=$(mktemp -d "$CACHE/siw.XXXXXX")
		say "downloading the source of siw $version (once)"
		siw_fetch "$version" || die 77 "siw: no linux-source and linux-headers of version $version to be had"
		siw_unpack || die 1 "siw: cannot unpack its source"
		say "building siw"
		siw_build || { cp "$temp/log" "$log"; die 77 "siw: it does not build (see $log)"; }
		mv "$temp/siw/siw.ko" "$SIW"
		rm -rf "$temp"
		temp=
	fi
	exec {kernel_lock}>&-
}
