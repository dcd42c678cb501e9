/** Packing and unpacking. */
import { ar, COMPRESSORS, compress, cpio, jar, rar, sevenZip, unsquashfs, unzip, zip } from '../compress.ts'
import type { Group } from '../registry.ts'
import { tar } from '../tar.ts'

export const archives: Group = {
  id: 'archives',
  rows: [
    {
      names: 'zcat gzcat bzcat xzcat lzcat zstdcat lz4cat zmore zless bzless xzless',
      options: '-f -v -q -S: -k -d -c -T: -h|--help -V|--version -L',
      operands: 'read…',
      info: '-h -V',
      out: 'changed',
      why: 'prints what is inside',
    },
    {
      names: 'zipinfo lsar',
      options: '-1 -2 -l -s -m -v -h -t -z -x: -j -L -b -i',
      operands: 'names',
      why: 'lists what is inside',
    },
    { names: 'zdiff zcmp xzdiff bzdiff', options: '-u -q -s', operands: 'read…', why: 'compares what is inside' },
    { names: 'funzip', options: '-P:', operands: 'read', out: 'changed', why: 'prints the first member' },
    { names: 'ranlib', options: '-D -U -t', operands: 'edit…', why: 'adds an index to an archive' },
    {
      names: 'mksquashfs',
      options: '-comp: -b: -e: -ef:read -noappend -all-root -no-progress',
      operands: 'read/ write',
      single: true,
      why: 'sources first, image last',
    },
    {
      names: 'zipsplit zipnote zipcloak',
      options: '-b: -n: -O:write -w -q',
      operands: 'edit',
      why: 'changes an archive',
    },
    { names: 'rpm2cpio', operands: 'read', out: 'changed', why: 'prints the archive in a package' },
  ],
  readers: {
    'tar gtar bsdtar': tar,
    [COMPRESSORS]: compress,
    unzip,
    zip,
    '7z 7za 7zr 7zz p7zip': sevenZip,
    'cpio gcpio': cpio,
    'ar gar': ar,
    jar,
    'unrar rar': rar,
    unsquashfs,
  },
}
