/** Cmdlets of PowerShell that act, as data. Any `Get-`, `Test-`, `Select-` and the like only reads and computes. */

export interface Cmdlet {
  /** Names and aliases, in lower case. */
  readonly names: string
  /**
   * What it does: a path act, `copy`, `move`, `eval`, `fetch`, `start`, `kill`, `chdir`, `block`, `system`, `destroy`.
   */
  readonly does: string
  /** Parameters that hold the paths, in order; operands without a name fill them. */
  readonly paths?: string
  /** Parameters that take a value, beside those of `paths`. */
  readonly values?: string
  readonly why: string
}

export const CMDLETS: readonly Cmdlet[] = [
  {
    names: 'remove-item rm del erase rd ri rmdir',
    does: 'delete',
    paths: 'path literalpath',
    values: 'include exclude filter',
    why: '-Recurse takes the tree',
  },
  {
    names: 'clear-content clc',
    does: 'write',
    paths: 'path literalpath',
    values: 'include exclude filter',
    why: 'empties',
  },
  {
    names: 'set-content sc',
    does: 'write',
    paths: 'path literalpath',
    values: 'value encoding include exclude filter',
    why: 'replaces the content',
  },
  {
    names: 'out-file',
    does: 'write',
    paths: 'filepath literalpath',
    values: 'encoding width inputobject',
    why: 'replaces the content; -Append adds',
  },
  {
    names: 'export-csv epcsv export-clixml export-alias epal start-transcript tee-object tee',
    does: 'write',
    paths: 'path filepath literalpath',
    values: 'encoding delimiter inputobject variable depth',
    why: 'writes a file',
  },
  { names: 'add-content ac', does: 'append', paths: 'path literalpath', values: 'value encoding', why: 'adds' },
  {
    names: 'new-item ni mkdir md',
    does: 'create',
    paths: 'path name',
    values: 'itemtype value target',
    why: 'makes where absent',
  },
  {
    names: 'get-content gc cat type import-csv ipcsv import-clixml select-string sls get-filehash',
    does: 'read',
    paths: 'path literalpath',
    values: 'totalcount tail encoding delimiter readcount pattern algorithm',
    why: 'reads',
  },
  {
    names: 'get-item gi resolve-path rvpa',
    does: 'names',
    paths: 'path literalpath',
    values: 'filter include exclude',
    why: 'names only; what it gives is the thing itself',
  },
  {
    names: 'get-childitem gci ls dir test-path',
    does: 'names',
    paths: 'path literalpath',
    values: 'filter include exclude depth attributes',
    why: 'names only',
  },
  {
    names: 'copy-item copy cp cpi',
    does: 'copy',
    paths: 'path destination',
    values: 'filter include exclude',
    why: 'copies; -Recurse takes the tree',
  },
  {
    names: 'move-item move mv mi',
    does: 'move',
    paths: 'path destination',
    values: 'filter include exclude',
    why: 'moves',
  },
  { names: 'rename-item ren rni', does: 'rename', paths: 'path newname', why: 'a new name in the same folder' },
  {
    names: 'set-acl set-itemproperty sp',
    does: 'mode',
    paths: 'path',
    values: 'aclobject name value type',
    why: 'permissions and attributes',
  },
  { names: 'expand-archive', does: 'unpack', paths: 'path destinationpath', why: 'unpacks' },
  { names: 'compress-archive', does: 'pack', paths: 'path destinationpath', values: 'compressionlevel', why: 'packs' },
  { names: 'invoke-expression iex', does: 'eval', paths: 'command', why: 'runs a text' },
  {
    names: 'start-bitstransfer',
    does: 'fetch',
    paths: 'source destination',
    values: 'credential displayname priority transfertype',
    why: 'data comes into a file',
  },
  {
    names: 'invoke-webrequest iwr curl wget invoke-restmethod irm',
    does: 'fetch',
    paths: 'uri source',
    values: 'outfile destination method body infile headers contenttype useragent credential timeoutsec',
    why: 'data comes in, or leaves with -Body or -InFile',
  },
  {
    names: 'start-process saps start',
    does: 'start',
    paths: 'filepath',
    values:
      'argumentlist workingdirectory verb credential windowstyle redirectstandardoutput redirectstandarderror redirectstandardinput',
    why: 'a program and its words',
  },
  {
    names: 'invoke-command icm start-job sajb foreach-object foreach % where-object ? measure-command invoke-item ii',
    does: 'block',
    paths: 'scriptblock',
    values: 'computername session filepath argumentlist name credential',
    why: 'a block that runs',
  },
  {
    names: 'set-location cd sl chdir push-location pushd',
    does: 'chdir',
    paths: 'path literalpath',
    why: 'changes the directory',
  },
  { names: 'stop-process spps kill', does: 'kill', paths: 'id', values: 'name', why: 'ends processes' },
  {
    names:
      'stop-computer restart-computer stop-service set-service remove-service set-executionpolicy new-service disable-computerrestore restart-service suspend-service',
    does: 'system',
    values: 'computername name',
    why: 'the machine and its services',
  },
  {
    names: 'format-volume clear-disk initialize-disk remove-partition reset-physicaldisk set-disk resize-partition',
    does: 'format',
    values: 'driveletter number disknumber',
    why: 'disks',
  },
  {
    names:
      'register-scheduledtask set-scheduledtask unregister-scheduledtask enable-scheduledtask disable-scheduledtask register-scheduledjob register-wmievent set-wmiinstance',
    does: 'schedule',
    values: 'taskname action trigger name scriptblock',
    why: 'runs something later',
  },
  {
    names: 'new-localuser remove-localuser set-localuser add-localgroupmember enable-localuser disable-localuser',
    does: 'account',
    values: 'name password group member',
    why: 'accounts',
  },
  { names: 'join-path', does: 'join', paths: 'path childpath additionalchildpath', why: 'a path from parts' },
  { names: 'resolve-path convert-path rvpa', does: 'same', paths: 'path literalpath', why: 'the path as it is' },
  { names: 'new-temporaryfile', does: 'fresh', why: 'a file of its own' },
  { names: 'import-module ipmo', does: 'module', paths: 'name', why: 'a module by path is a program' },
  {
    names: 'install-module install-package install-script inmo',
    does: 'install',
    paths: 'name',
    values: 'scope repository requiredversion',
    why: 'adds a package',
  },
  {
    names: 'write-output write-host echo write-error write-warning write-verbose out-null out-string out-host',
    does: 'nothing',
    why: 'prints',
  },
]

/** Verbs of cmdlets that change nothing. */
export const HARMLESS =
  /^(get|test|select|where|sort|measure|format|convert|convertto|convertfrom|compare|group|join|split|find|show|write|out|read|resolve|wait|trace|debug|import|assert|confirm|use|enter|exit|new|add|receive|pop|step|switch|update|register|unregister|enable)-/
