/**
 * The names that one argument of the six tools goes by. The published pages write the first; the agent's harness of
 * September 2026 and public descriptions of its tools spell the others. A tool takes them all, so a hook must see the
 * name that it looks for, whichever the model wrote.
 */
export const ARGUMENT_NAMES = {
  path: ['path', 'AbsolutePath', 'TargetFile', 'DirectoryPath'],
  code: ['code', 'Code'],
  language: ['language', 'Language'],
  content: ['content', 'CodeContent'],
  overwrite: ['overwrite', 'Overwrite'],
  start: ['start_line', 'StartLine'],
  end: ['end_line', 'EndLine'],
  target: ['target_content', 'TargetContent'],
  replacement: ['replacement_content', 'ReplacementContent'],
  multiple: ['allow_multiple', 'AllowMultiple'],
} as const

/** Which of the spellings of `path` a tool has. */
export const PATH_NAMES: Readonly<Record<string, string>> = {
  view_file: 'AbsolutePath',
  write_to_file: 'TargetFile',
  replace_file_content: 'TargetFile',
  list_dir: 'DirectoryPath',
  delete_file: 'TargetFile',
}
