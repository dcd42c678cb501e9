/** The published taxonomy of tools, with the names that later builds of the host use for the same. */

import { once } from '../../core/once.ts'

export type ToolClass = 'read' | 'orchestration' | 'shell' | 'file'

const CLASSES: Readonly<Record<ToolClass, string>> = {
  read:
    'view_file grep_search code_search list_directory read_url_content read_browser_page search_web list_resources ' +
    'read_resource ask_question view_file_outline read_terminal read_notebook command_status ' +
    'list_dir find_by_name ask_permission list_permissions',
  orchestration: 'invoke_subagent define_subagent manage_subagents schedule send_message',
  shell: 'run_command',
  file:
    'write_to_file replace_file_content multi_replace_file_content edit_file create_file save_file delete_file move ' +
    'delete_directory edit_notebook write_blob move_file',
}

export const toolClasses = once(
  (): ReadonlyMap<string, ToolClass> =>
    new Map(
      Object.entries(CLASSES).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind as ToolClass])),
    ),
)

/** Keys that hold the paths of a changing tool; all are required. */
export const fileKeys = once(
  (): ReadonlyMap<string, readonly string[]> =>
    keyed({
      'write_to_file replace_file_content multi_replace_file_content edit_file create_file save_file delete_file':
        'TargetFile',
      move: 'source destination',
      move_file: 'source destination',
      delete_directory: 'directoryPath',
      edit_notebook: 'notebookPath',
      write_blob: 'targetPath',
    }),
)

/** Keys that hold the paths of a reading tool. */
export const readKeys = once(
  (): ReadonlyMap<string, readonly string[]> =>
    keyed({
      'view_file view_file_outline': 'AbsolutePath filePath path',
      read_notebook: 'AbsolutePath notebookPath path',
      read_resource: 'Uri uri',
      'read_browser_page read_url_content': 'Url url',
      'list_directory list_dir': 'DirAbsolutePath DirectoryPath path dir',
      'grep_search code_search file_search find_by_name': 'SearchPath SearchDirectory DirectoryPath path',
    }),
)

function keyed(rows: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.entries(rows).flatMap(([names, keys]) => names.split(' ').map((name) => [name, keys.split(' ')])),
  )
}

/** Keys of content and of words to people: never a target, whatever they hold. */
export const proseKeys = once(
  (): ReadonlySet<string> =>
    new Set(
      (
        'TargetContent ReplacementContent ReplacementChunks CodeContent Content Instruction Description explanation ' +
        'toolAction toolSummary WaitMsBeforeAsync Cwd CodeMarkdownLanguage'
      ).split(' '),
    ),
)

/** Names of keys, letters only, that a lenient host may take for a target. */
export const PATH_KEYS =
  /^(?:(?:target|absolute|file|source|dest|destination|output|new|old|notebook|directory|dir|folder)*(?:file|path|filename|uri|url)s?|source|destination|dest|target|directory|dir|folder)$/

/** Names of keys, letters only, that describe what is written. */
export const harmlessKeys = once(
  (): ReadonlySet<string> =>
    new Set(
      'mimetype contenttype date time timestamp createdat updatedat language encoding version overwrite complexity'.split(
        ' ',
      ),
    ),
)

/** Tools of the booster's own server. */
export const boosterTools = once(
  (): ReadonlySet<string> => new Set('agb_plan agb_run agb_preflight agb_status agb_doctor agb_review'.split(' ')),
)
