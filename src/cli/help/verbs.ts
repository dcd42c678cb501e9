/** The list of verbs as `--help` shows it: most used first, in groups, a few words each. */

/** A heading, and what stands below it: a verb and a few words. */
export type Group = readonly [heading: string, verbs: Readonly<Record<string, string>>]

const CONTAINMENT: Group = [
  'Keep output short',
  {
    run: 'run a command, keep all of its output, show little of it',
    get: 'print what an address names, a part at a time',
    search: 'look for patterns in a capture or in files',
    stats: 'size, kind and shapes of a capture, a file or a directory',
    gain: 'what was kept out of the context, and what it cost',
    diff: 'what differs between two runs',
    jobs: 'list jobs in the background',
    job: 'look at one job, wait for it, or end it',
    digest: 'digest an output that was recorded elsewhere',
    profile: 'digests for tools of your own',
    pin: 'keep a capture for good',
    gc: 'remove old captures',
    purge: 'remove a capture now',
    mcp: 'captures over MCP; bound the results of other servers',
  },
]

const WIRED = {
  setup: 'wire the agents of this machine',
  doctor: 'does each gate stand, and what does it not cover',
  wrap: 'wire one host, or start it guarded once',
  unwrap: 'take the guard out of one host',
}

/** Groups of verbs by the name that the program was called by. */
export const GROUPS: Readonly<Record<string, readonly Group[]>> = {
  sallyport: [
    [
      'Put it in front of your agents',
      {
        setup: WIRED.setup,
        doctor: WIRED.doctor,
        status: 'which gates stand, and what became of them this week',
        uninstall: 'take the guard out again',
        wrap: WIRED.wrap,
        unwrap: WIRED.unwrap,
        watch: 'tell of calls that no gate was asked about',
        probe: 'drive the agents here, and say what they enforce',
        try: 'see verdicts on sample calls, in a scratch repository',
      },
    ],
    [
      'Ask the guard',
      {
        check: 'what would it answer to a command',
        explain: 'why, with the tree, the effects and the safer way',
        replay: 'what would it have answered to past sessions',
        policy: 'the policy that holds here',
        adlc: 'tickets and rails of an ADLC repository',
        rails: 'check commits against what is frozen',
      },
    ],
    [
      'Answer it',
      {
        log: 'the verdicts that were given',
        why: 'what one of them rested on',
        pending: 'what was refused, with the code that approves it',
        approve: 'approve it once',
        allow: 'allow an effect for good',
        pause: 'let the guard only watch for a while',
        undo: 'bring back what a call lost',
      },
    ],
    CONTAINMENT,
    [
      'Agents of your own',
      {
        serve: 'serve agents in sandboxes to the @google/genai SDK',
        env: 'look at their environments, and work in one',
        credential: 'keep their secrets',
        hooks: 'lint and try a hooks.json',
      },
    ],
    ['Called by hosts', { hook: 'answer one event of a host' }],
  ],
  ctx: [CONTAINMENT, ['Put it in front of your agents', WIRED]],
  agb: [
    [
      'Verbs',
      {
        status: 'which plugin judges here, and what is frozen',
        doctor: 'try the plugin’s hook, and check how it is installed',
        migrate: 'move an installation to this plugin, and back',
        companion: 'install the companion plugin',
        rails: 'check commits against what is frozen',
        hook: 'answer one event of a host',
      },
    ],
  ],
}
