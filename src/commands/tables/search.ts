/** Finding files and searching in them, and running commands on what was found. */
import { find } from '../find.ts'
import { parallel } from '../parallel.ts'
import type { Group } from '../registry.ts'
import { ack, fd, grep, ripgrep, silverSearcher } from '../search.ts'
import { xargs } from '../xargs.ts'

export const search: Group = {
  id: 'search',
  rows: [
    {
      names: 'locate mlocate plocate slocate mdfind',
      options: '-d|--database:names -l|-n|--limit: -onlyin: -name:',
      why: 'prints names from a database; no file is opened',
    },
    {
      names: 'updatedb',
      options: '-o|--output:write -U|--database-root: -l|--require-visibility:',
      why: 'rebuilds the database of names',
    },
    {
      names: 'zgrep zegrep zfgrep bzgrep xzgrep zstdgrep rga',
      options: '-e|--regexp: -f|--file:read -m|--max-count: -A: -B: -C: -i -v -n -l -c -q -h -H -o -w -x -E -F',
      operands: 'skip read…',
      when: [{ flags: '-e -f', operands: 'read…' }],
      out: 'changed',
      why: 'greps in compressed files: the pattern comes first',
    },
    {
      names: 'pdfgrep ugrep ug',
      options: '-e|--regexp: -f|--file:read -r -R -i -n -l -c -q -A: -B: -C: --include: --exclude:',
      operands: 'skip read…',
      when: [{ flags: '-e -f', operands: 'read…' }],
      tree: '-r -R',
      out: 'changed',
      why: 'grep with other engines: the pattern comes first',
    },
    {
      names: 'fzf sk peco',
      options: '-f|--filter: -q|--query: --prompt: --height: -d|--delimiter: -n|--nth:',
      out: 'lines',
      info: '--help --version -h',
      why: 'prints the lines of stdin that were chosen',
    },
    {
      names: 'ctags etags gtags cscope',
      options: '-f|-o:write -L:read -R --languages: --exclude: -x',
      operands: 'read…',
      tree: '-R',
      why: 'indexes sources into a tags file',
    },
    {
      names: 'tokei scc cloc loc gocloc',
      options:
        '--exclude-dir: --exclude: --include-lang: --type|-t: -e: --out:write --report-file:write --list-file:read',
      operands: 'names/…',
      why: 'counts lines; no content is shown',
    },
  ],
  readers: {
    'grep egrep fgrep rgrep ggrep gegrep gfgrep': grep,
    rg: ripgrep,
    ag: silverSearcher,
    'ack ack-grep': ack,
    'find gfind': find,
    'fd fdfind': fd,
    'xargs gxargs': xargs,
    'parallel sem': parallel,
  },
}
