/** Package managers of machines: looking passes, changing the packages of the machine does not. */
import type { Keeper } from './keeper.ts'

export const MACHINES: readonly Keeper[] = [
  {
    names: 'brew',
    options: '-q|--quiet -v|--verbose -f|--force -n|--dry-run --cask --formula --HEAD',
    dry: '-n',
    verbs: [
      {
        words: 'install|reinstall|upgrade|uninstall|remove|rm|autoremove|link|unlink|pin|unpin|tap|untap|bundle',
        does: 'package',
        why: 'programs of the machine',
      },
      { words: 'services start|stop|restart|run|kill', does: 'service', why: 'services of the machine' },
    ],
  },
  {
    names: 'apt apt-get aptitude',
    options:
      '-y|--yes|--assume-yes -q|--quiet? -s|--simulate|--just-print|--dry-run|--recon|--no-act -d|--download-only -o|--option: -c|--config-file: -t|--target-release: --no-install-recommends --print-uris',
    dry: '-s --print-uris',
    verbs: [
      {
        words:
          'install|reinstall|remove|purge|autoremove|autopurge|upgrade|full-upgrade|dist-upgrade|dselect-upgrade|build-dep|safe-upgrade|hold|unhold|forbid-version',
        does: 'package',
        why: 'packages of the machine',
      },
      { words: 'edit-sources', does: 'setting', why: 'where packages come from' },
    ],
  },
  {
    names: 'apt-cache apt-file apt-config dpkg-query apt-show-versions',
    options: '-o: -c: -f: -W -l -L -S -s',
    verbs: [],
  },
  {
    names: 'apt-mark',
    options: '-f:',
    verbs: [{ words: 'hold|unhold|auto|manual', does: 'package', why: 'which packages stay' }],
  },
  {
    names: 'add-apt-repository apt-add-repository apt-key',
    options: '-y -r|--remove -n -k: --keyring:',
    verbs: [
      { words: 'list|finger|export', does: 'none', why: 'reading' },
      { words: '*', does: 'setting', why: 'where packages come from' },
    ],
  },
  {
    names: 'yum dnf microdnf dnf5 zypper tdnf',
    options:
      '-y|--assumeyes -q -v --enablerepo: --disablerepo: --setopt: --releasever: --installroot: -x|--exclude: -n|--non-interactive --repo: --assumeno --downloadonly',
    dry: '--assumeno --downloadonly',
    verbs: [
      {
        words:
          'install|in|reinstall|remove|rm|erase|autoremove|update|up|upgrade|dup|dist-upgrade|distro-sync|downgrade|swap|localinstall|groupinstall|groupremove|patch|si',
        does: 'package',
        why: 'packages of the machine',
      },
      {
        words: 'module|group install|remove|enable|disable|reset|upgrade',
        does: 'package',
        why: 'packages of the machine',
      },
      { words: 'config-manager|addrepo|ar|removerepo|rr|copr', does: 'setting', why: 'where packages come from' },
    ],
  },
  {
    names: 'apk',
    options: '-X|--repository: -p|--root: -t|--virtual: -s|--simulate --no-cache -U -u -q',
    dry: '-s',
    verbs: [{ words: 'add|del|upgrade|fix', does: 'package', why: 'packages of the machine' }],
  },
  {
    names: 'snap flatpak',
    options: '--channel: --classic -y --user --system',
    verbs: [
      {
        words: 'install|remove|uninstall|refresh|update|revert|disable|enable|remote-add|remote-delete',
        does: 'package',
        why: 'programs of the machine',
      },
    ],
  },
  {
    names:
      'port pkg pkgin pkg_add pkg_delete emerge xbps-install xbps-remove eopkg slackpkg opkg swupd guix pkgutil softwareupdate mas',
    options: '-y|--yes -f|--force -n|--dry-run -p|--pretend -s|--search -i|--install -r: -l|--list',
    dry: '-n -p -s -l',
    verbs: [
      {
        words: 'search|list|info|show|query|contents|installed|outdated|echo|which|update|describe',
        does: 'none',
        why: 'reading',
      },
      { words: '*', does: 'package', why: 'packages of the machine' },
    ],
  },
  {
    names: 'choco winget scoop',
    options: '-y|--yes --id: -s|--source: -v|--version: -e -q|--query: --params: -h',
    verbs: [
      {
        words: 'install|uninstall|upgrade|update|reset|pin|import|configure',
        does: 'package',
        why: 'programs of the machine',
      },
      { words: 'source|bucket|config add|remove|set|disable|enable', does: 'setting', why: 'where programs come from' },
    ],
  },
  {
    names: 'dpkg',
    options:
      '-i|--install -r|--remove -P|--purge --unpack --configure -a|--pending -l|--list -L|--listfiles -s|--status -S|--search -I|--info -c|--contents --get-selections --set-selections -V|--verify -x -e --print-architecture --admindir: --root: --force-all --dry-run|--no-act|--simulate',
    dry: '--dry-run',
    verbs: [
      { words: '*', does: 'package', flags: '-i -r -P --unpack --set-selections', why: 'packages of the machine' },
      { words: '', does: 'package', flags: '--configure --set-selections', why: 'packages of the machine' },
    ],
  },
  {
    names: 'rpm',
    options:
      '-i|--install -U|--upgrade -F|--freshen -e|--erase -q|--query -V|--verify -a|--all -l|--list --import: --root: --dbpath: --nodeps --test -v -h|--hash -K|--checksig',
    dry: '--test -q -V -K',
    verbs: [{ words: '*', does: 'package', flags: '-i -U -F -e', why: 'packages of the machine' }],
  },
  {
    names: 'pacman yay paru pamac',
    options:
      '-S|--sync -R|--remove -U|--upgrade -Q|--query -F|--files -D|--database -T -s|--search -i|--info -l|--list -y|--refresh -u|--sysupgrade -c|--clean -n|--nosave -p|--print -g -k -q -w|--downloadonly --noconfirm --needed',
    dry: '-Q -F -T -p',
    verbs: [
      { words: 'search|list|info', does: 'none', why: 'reading' },
      { words: '*', does: 'package', flags: '-S', unless: '-s -i -l -g -w', why: 'packages of the machine' },
      { words: '', does: 'package', flags: '-R -U -D', why: 'packages of the machine' },
      { words: '', does: 'package', flags: '-u', unless: '-w', why: 'packages of the machine' },
      { words: 'install|remove|upgrade|build', does: 'package', why: 'packages of the machine' },
    ],
  },
  {
    names: 'nix-env nix-channel',
    options:
      '-i|--install -e|--uninstall -u|--upgrade -q|--query -A|--attr -f|--file: -p|--profile: --add --remove --list --list-generations --rollback --delete-generations: --dry-run',
    dry: '--dry-run -q --list --list-generations',
    verbs: [
      { words: '*', does: 'package', flags: '-i -e -u', why: 'programs of the user' },
      { words: '', does: 'package', flags: '-u -e --rollback --delete-generations', why: 'programs of the user' },
      { words: '*', does: 'setting', flags: '--add --remove', why: 'where packages come from' },
    ],
  },
]
