/** The machine's own directories, its devices, and the places for temporary files. */
import type { PlaceRow } from './row.ts'

export const SYSTEM: readonly PlaceRow[] = [
  {
    why: 'programs and libraries of the system',
    at: ['/bin/', '/sbin/', '/lib/', '/lib32/', '/lib64/', '/libx32/', '/usr/', '/opt/', '/nix/', '/snap/', '/gnu/'],
  },
  { why: 'what the machine starts with', at: ['/boot/', '/efi/', '/initrd*', '/vmlinuz*'] },
  { why: 'settings of the machine', at: ['/etc/'] },
  { why: 'data of services', at: ['/var/', '/srv/', '/run/'] },
  { why: 'the running kernel', at: ['/proc/', '/sys/', '/dev/'] },
  { why: 'home of the administrator', at: ['/root/'] },
  { why: 'directories of macOS', at: ['/System/', '/Library/', '/Applications/', '/private/', '/cores/', '/Network/'] },
  {
    why: 'directories of Windows',
    at: [
      'C:/Windows/',
      'C:/Program Files/',
      'C:/Program Files (x86)/',
      'C:/ProgramData/',
      'C:/Recovery/',
      'C:/Boot/',
      'C:/System Volume Information/',
      'C:/$Recycle.Bin/',
    ],
  },
]

/** Directories that are never anyone's target as a whole, while what lies in them may be. */
export const SYSTEM_PARENTS: readonly string[] = [
  '/',
  '/home',
  '/Users',
  '/mnt',
  '/media',
  '/Volumes',
  'C:/',
  'C:/Users',
]

/** Devices that give or swallow bytes and keep none. */
export const STREAMS: readonly PlaceRow[] = [
  { why: 'gives or swallows bytes', at: ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom'] },
  {
    why: "the caller's own terminal and streams",
    at: ['/dev/stdin', '/dev/stdout', '/dev/stderr', '/dev/tty', '/dev/ptmx', '/dev/pts/', '/dev/fd/', '/dev/console'],
  },
]

export const DEVICES: readonly PlaceRow[] = [
  { why: 'disks, memory and other hardware', at: ['/dev/'] },
  { why: 'switches of the running kernel', at: ['/proc/sysrq-trigger', '/proc/sys/', '/proc/acpi/', '/sys/'] },
]

/** Where programs put what they need for a while. */
export const TEMP: readonly PlaceRow[] = [
  { why: 'temporary files of everybody', at: ['/tmp/', '/var/tmp/', '/dev/shm/', '/run/user/'] },
  {
    why: 'temporary files on macOS',
    at: ['/private/tmp/', '/private/var/tmp/', '/var/folders/', '/private/var/folders/'],
  },
  { why: 'temporary files on Windows', at: ['~/AppData/Local/Temp/', 'C:/Windows/Temp/', 'C:/Temp/', 'C:/tmp/'] },
]
