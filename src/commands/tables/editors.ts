/** Programs that change files where they lie. */
import { applyPatch } from '../apply-patch.ts'
import { ed, emacs, patch, vim } from '../editors.ts'
import { jq, yq } from '../jq.ts'
import type { Group } from '../registry.ts'
import { sed } from '../sed.ts'
import { sponge } from '../split.ts'

export const editors: Group = {
  id: 'editors',
  rows: [
    {
      names: 'nano pico micro joe jed mcedit hx helix kak gedit kate mousepad mg zile ne tilde',
      options: '-B -C: -E -I -R -T: -Y: -c -i -l -m -u -v -w -h|--help --version',
      operands: 'names…',
      why: 'waits for keys; by itself it changes nothing',
    },
    {
      names: 'dos2unix unix2dos mac2unix fromdos todos',
      options:
        '-k|--keepdate -q|--quiet -f|--force -n|--newfile -o|--oldfile -i|--info? -b -c: -l -s -r -h|--help -V|--version -O|--to-stdout',
      operands: 'edit…',
      when: [
        { flags: '-n', operands: 'read write' },
        { flags: '-i -O', operands: 'read…' },
      ],
      info: '-h -V',
      why: 'line ends are changed in place',
    },
    {
      names: 'sd',
      options:
        '-p|--preview -F|--fixed-strings|-s|--string-mode -n|--max-replacements: -f|--flags: -A|--across -h|--help -V|--version',
      operands: 'skip skip edit…',
      when: [{ flags: '-p', operands: 'skip skip read…' }],
      info: '-h -V',
      out: 'changed',
      why: 'find, replace, then files that are changed in place; stdin without files',
    },
    {
      names: 'rpl',
      options:
        '-x|--suffix: -i|--ignore-case -m|--match-case -w|--whole-words -b|--backup -q|--quiet -v|--verbose -s|--dry-run|--simulate ' +
        '-R|--recursive -e|--escape -p|--prompt -f|--force -d|--keep-times -t|--use-tmpdir -a|--all -F|--fixed-strings -g|--glob: --encoding: -E: -h|--help',
      operands: 'skip skip edit…',
      when: [{ flags: '-s', operands: 'skip skip read…' }],
      tree: '-R',
      info: '-h',
      why: 'rpl(1): the old text, the new one, then files that are changed in place',
    },
    {
      names: 'crudini',
      options:
        '--set --del --get --merge --existing? --format: --inplace --verbose --list --list-sep: --output:write --ini-options:',
      operands: 'read',
      when: [{ flags: '--set --del --merge', operands: 'edit' }],
      why: 'the file comes first, then section and key',
    },
    {
      names: 'xmlstarlet',
      options: '-L|--inplace -O -P -S -u: -v: -d: -i: -s: -t -n: -x: -N: -m: -c: -o:',
      operands: 'skip read…',
      when: [{ flags: '-L', operands: 'skip edit…' }],
      out: 'changed',
      why: 'a verb, then options and files; -L edits in place',
    },
    {
      names: 'xmllint',
      options:
        '--output:write -o:write --format --noout --xpath: --schema:read --dtdvalid: --shell --html --recover --pretty:',
      operands: 'read…',
      out: 'changed',
      why: 'checks and prints documents',
    },
    {
      names: 'fastmod codemod ruplacer',
      options:
        '-d|--dir: -e|--extensions: -g|--glob: -m|--multiline -i --iglob: --accept-all --go --hidden -F --fixed-strings --quiet --print-changed-files',
      operands: 'skip skip edit/…',
      why: 'find, replace, then paths whose trees are changed',
    },
    {
      names: 'ast-grep',
      options:
        '-p|--pattern: -r|--rewrite: -l|--lang: -i|--interactive -U|--update-all --globs: -c|--config:read --json? --stdin ' +
        '-A: -B: -C: --strictness: --selector: --rule:read --inline-rules: -j: --no-ignore: --color: -h|--help -V|--version',
      operands: 'read/…',
      when: [{ flags: '-U', operands: 'edit/…' }],
      info: '-h -V',
      out: 'changed',
      why: 'structural search; rewrites only with -U',
    },
    {
      names: 'comby',
      options:
        '-i|-in-place -matcher: -d|-directory: -f: -diff -stdin -stdout -match-only -count -config:read -templates:read',
      operands: 'skip skip read…',
      when: [{ flags: '-i', operands: 'skip skip edit…' }],
      single: true,
      out: 'changed',
      why: 'match, rewrite, then files or their endings',
    },
    {
      names: 'code codium cursor windsurf subl zed atom',
      options:
        '-n|--new-window -r|--reuse-window -w|--wait -g|--goto -d|--diff -a|--add --user-data-dir: --extensions-dir: --profile: --list-extensions -h|--help -v|--version',
      operands: 'names…',
      info: '-h -v --list-extensions',
      why: 'opens an editor; files change only by hand',
    },
  ],
  readers: {
    'sed gsed ssed': sed,
    'ed red': ed,
    'vi vim nvim ex view vimdiff rvim rview gvim mvim vim.basic vim.tiny nvi': vim,
    'emacs emacsclient': emacs,
    'patch gpatch': patch,
    'apply_patch applypatch': applyPatch,
    sponge,
    'jq gojq jaq': jq,
    'yq xq tomlq': yq,
  },
}
