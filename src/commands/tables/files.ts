/** Making, copying, moving, deleting and describing files. */
import { cp, dd, ditto, install, link, ln, mv, rename, robocopy } from '../copy.ts'
import type { Doing } from '../doing.ts'
import { mmv } from '../mmv.ts'
import { attrib, chattr, chmod, chown, setfacl, xattr } from '../mode.ts'
import { basename, dirname, ls, mktemp, pwd, realpath } from '../names.ts'
import { parseArgs, specify } from '../options.ts'
import { pure } from '../parts.ts'
import type { Group } from '../registry.ts'
import { del, rimraf, rm, rmdir, trash, trashEmpty } from '../remove.ts'
import { rsync } from '../rsync.ts'
import { csplit, split, tee } from '../split.ts'

const MKDIR = specify('-m|--mode: -p|--parents -v|--verbose -Z --context?')

/** Made where absent; with `-p` what lies above is made, too. */
const mkdir = pure((call) => {
  const { flags, operands } = parseArgs(MKDIR, call.args)
  if (flags.has('--help') || flags.has('--version')) return []
  const parents = flags.has('-p') ? { note: 'parents' } : {}
  return operands.map((at): Doing => ({ do: 'path', act: 'create', at, ...parents }))
})

export const files: Group = {
  id: 'files',
  rows: [
    {
      names: 'objcopy llvm-objcopy',
      options: '-O|--output-target: -I|--input-target: -j|--only-section: -R|--remove-section: -S -g --add-section:',
      operands: 'read last:write',
      why: 'binutils: the one file in place, or the first into the second',
    },
    {
      names: 'strip llvm-strip patchelf chrpath install_name_tool',
      options: '-o:write --output:write -s -g -K: -N: -R: --set-rpath: --set-interpreter: --replace-needed: -r:',
      operands: 'edit…',
      when: [{ flags: '-o --output', operands: 'read…' }],
      why: 'change object files in place',
    },
    { names: 'unlink', operands: 'delete', why: 'one file, no options (POSIX)' },
    {
      names: 'shred',
      options: '-f|--force -n|--iterations: -s|--size: --random-source:read -u --remove? -v -x -z|--zero',
      operands: 'write…',
      when: [{ flags: '-u --remove', operands: 'delete…' }],
      why: 'overwrites content; with -u the file goes, too',
    },
    {
      names: 'srm',
      options: '-f -i -r|-R -s -m -v -z -n',
      operands: 'delete…',
      tree: '-r',
      why: 'rm that overwrites first',
    },
    {
      names: 'wipe',
      options: '-f -r -q -Q: -c -s -k -i -S: -F -D -P: -l:',
      operands: 'delete…',
      tree: '-r',
      why: 'rm that overwrites first',
    },
    { names: 'mkfifo', options: '-m|--mode: -Z --context?', operands: 'create…', why: 'makes named pipes' },
    {
      names: 'mknod',
      options: '-m|--mode: -Z --context?',
      operands: 'create skip…',
      why: 'name first, then type and numbers',
    },
    {
      names: 'touch gtouch',
      options: '-a -c|--no-create -d|--date: -f -h|--no-dereference -m -r|--reference:names -t: --time: -A:',
      operands: 'create…',
      when: [{ flags: '-c', operands: 'names…' }],
      why: 'made where absent; content stays where present',
    },
    {
      names: 'truncate gtruncate',
      options: '-c|--no-create -o|--io-blocks -r|--reference:names -s|--size:',
      operands: 'write…',
      why: 'cuts content off or adds zeros',
    },
    {
      names: 'fallocate',
      options:
        '-c|--collapse-range -d|--dig-holes -i -l|--length: -n -o|--offset: -p|--punch-hole -v -x -z|--zero-range',
      operands: 'append',
      when: [
        { flags: '-c -p -z', operands: 'edit' },
        { flags: '-n', operands: 'create' },
      ],
      why: 'makes a file or a longer one of it; ranges may be emptied',
    },
    {
      names: 'ddrescue gddrescue',
      options: '-f|--force -n -d -r: -b: -i: -o: -s: -c: -p -R -v -q',
      operands: 'read write write',
      why: 'input, output, map file',
    },
    {
      names: 'chcon',
      options: '-R|--recursive -h -H -L -P -t|--type: -u|--user: -r|--role: -l|--range: --reference:names -v',
      operands: 'skip mode…',
      when: [{ flags: '-t -u -r -l --reference', operands: 'mode…' }],
      tree: '-R',
      why: 'changes the security label; a whole label comes first',
    },
    {
      names: 'restorecon',
      options: '-R|-r -F -n -v -p -e: -f:read',
      operands: 'mode…',
      tree: '-R',
      why: 'resets the security label',
    },
    {
      names: 'chflags',
      options: '-R -f -h -v -x -H -L -P',
      operands: 'skip mode…',
      tree: '-R',
      why: 'BSD file flags; flags come first',
    },
    {
      names: 'setfattr',
      options: '-n|--name: -v|--value: -x|--remove: -h --restore:read',
      operands: 'mode…',
      why: 'extended attributes',
    },
    {
      names: 'setcap',
      options: '-q -r -v -f -n:',
      operands: 'skip mode…',
      when: [{ flags: '-r', operands: 'mode…' }],
      why: 'capabilities of a program',
    },
    {
      names:
        'getfacl getfattr lsattr getcap stat gstat file namei du gdu df tree exa eza lsd dir vdir wc gwc pathchk lstat dust duf ncdu mediainfo GetFileInfo',
      options:
        '-c|--format: --printf: -L|--level: -I: -P: -d|--max-depth: -t|--threshold: -B|--block-size: --exclude: ' +
        '--files0-from:read -o:write -m|--magic-file:read -e: -F: -n: --time? --total? -X: --sort: --ignore-glob:',
      operands: 'names…',
      why: 'metadata, counts and types; no content is shown',
    },
    {
      names:
        'cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum shasum md5 gmd5sum gsha256sum crc32 xxhsum xxh64sum',
      options: '-a|--algorithm: -l|--length: -s: -b -t -c|--check --tag -z -q -w --status --strict',
      operands: 'names…',
      why: 'a digest shows nothing of the content',
    },
    {
      names: 'SetFile',
      options: '-a: -d: -m: -t: -c: -P',
      operands: 'mode…',
      single: true,
      why: 'macOS attributes and dates',
    },
    {
      names: 'plutil',
      options:
        '-lint -help -convert: -insert: -replace: -remove: -extract: -bool: -integer: -float: -string: -date: -data: -xml: -json: -p -o:write -e: -s -r -n',
      operands: 'read…',
      when: [
        { flags: '-o -p -lint -extract', operands: 'read…' },
        { flags: '-convert -insert -replace -remove', operands: 'edit…' },
      ],
      single: true,
      why: 'property lists are changed in place unless -o names another file',
    },
    {
      names: 'textutil',
      options: '-convert: -output:write -stdout -info -cat: -format: -font: -fontsize: -inputencoding: -encoding:',
      operands: 'read…',
      single: true,
      out: 'changed',
      why: 'converts documents into new files beside or at -output',
    },
    { names: 'trash-list trash-restore', why: 'shows the trash, or brings files back after a prompt' },
    {
      names: 'lndir stow',
      options: '-d|--dir: -t|--target:create -S -D -R -n -v --adopt -silent',
      operands: 'names…',
      why: 'makes links to a tree',
    },
  ],
  readers: {
    mmv,
    'mkdir gmkdir': mkdir,
    'rm grm': rm,
    'rmdir grmdir rd': rmdir,
    'del erase del-cli': del,
    rimraf,
    'trash trash-put gio gvfs-trash move-to-trash': trash,
    'trash-empty': trashEmpty,
    'cp gcp': cp,
    'mv gmv': mv,
    'ln gln': ln,
    link,
    'install ginstall': install,
    ditto,
    'robocopy xcopy': robocopy,
    'rename prename file-rename': rename,
    'dd gdd dcfldd': dd,
    'chmod gchmod': chmod,
    'chown chgrp gchown lchown': chown,
    attrib,
    chattr,
    setfacl,
    xattr,
    'ls gls': ls,
    basename,
    dirname,
    'realpath readlink grealpath greadlink': realpath,
    'mktemp gmktemp': mktemp,
    pwd,
    rsync,
    'tee gtee': tee,
    'split gsplit': split,
    'csplit gcsplit': csplit,
  },
}
