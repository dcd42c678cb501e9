/**
 * The kinds of secrets that say by their form what they are. One row a kind: a new form is an edit of one row.
 *
 * Every repetition is bounded or cannot be split in two ways, so that no text takes long. What looks like a key in
 * an output is far more often a hash, an identifier or a word, so each form asks for all that its issuer promises.
 */

export interface Kind {
  readonly name: string
  /** What the holder of such a value may do. */
  readonly reason: string
  /** Global. What the first group holds stands before the secret and stays; without a group the whole match goes. */
  readonly find: RegExp
  /** Whether a value that was found is one after all. */
  readonly accepts?: (secret: string) => boolean
  /** Lines with a secret of this kind. A bar cuts the value, so that scanners of repositories do not take it for one. */
  readonly examples: readonly string[]
  /** Lines that look alike and hold none. */
  readonly harmless: readonly string[]
}

const isHex = (text: string): boolean => /^[0-9a-fA-F]+$/.test(text)
const hasDigit = (text: string): boolean => /[0-9]/.test(text)

/** Blocks of private keys are found by `blocks.ts`, since they go over lines. */
export const PRIVATE_KEY = {
  name: 'private-key',
  reason: 'proves to be its owner: logs in, signs, decrypts',
} as const

/** `-----BEGIN … PRIVATE KEY` in base64, with the words that stand in between, as settings hold it. */
const ENCODED_KEY =
  /LS0tLS1CRUdJTi(?:BSU0EgUFJJV|BQUklW|BFQyBQ|BPUEVOU1NI|BFTkNSWVBU|BEU0EgUFJJV)[A-Za-z0-9+/=]{20,65536}/g

/** The most telling first: where two kinds claim a place, the earlier one names it. */
export const KINDS: readonly Kind[] = [
  {
    ...PRIVATE_KEY,
    find: ENCODED_KEY,
    examples: ['client-key-data: LS0tLS1|CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVB'],
    harmless: [
      'certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURkekNDQWwrZ0F3SUJBZ0lFQWdBQXVUQU5CZ2tx',
      'LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0K',
    ],
  },
  {
    name: 'aws-access-key',
    reason: 'names an account of AWS; with its secret half it signs calls',
    find: /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,124}(?![A-Za-z0-9])/g,
    examples: ['key AK|IAIOSFODNN7EXAMPLE', '"AccessKeyId": "AS|IAY34FZKBOKMUTVV7A"', 'AK|IA2E0A8F3B244C9986'],
    harmless: ['AKIA', 'ASIAN', 'see AKIA-2042', 'VkFLSUFJT1NGT0ROTjdFWEFNUExF'],
  },
  {
    name: 'aws-secret-key',
    reason: 'signs every call of an AWS account',
    find: /((?:aws|secret)[A-Za-z0-9_. -]{0,24}(?:["'\\]{1,4}|&quot;|&#34;)?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}(?:["'\\]{1,4}|&quot;|&#34;)?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/gi,
    accepts: (secret) => !isHex(secret),
    examples: [
      'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG|/bPxRfiCYEXAMPLEKEY',
      '"SecretAccessKey": "wJalrXUtnFEMI/K7MDENG|/bPxRfiCYEXAMPLEKEY"',
      '7,"{""SecretAccessKey"": ""wJalrXUtnFEMI/K7MDENG|/bPxRfiCYEXAMPLEKEY""}"',
      '<failure message="{&quot;SecretAccessKey&quot;: &quot;wJalrXUtnFEMI/K7MDENG|/bPxRfiCYEXAMPLEKEY&quot;}">',
    ],
    harmless: ['secret-sha: 3f786850e387550fdab836ed7e6dc881de23001b', 'aws_secret_access_key ='],
  },
  {
    name: 'github-token',
    reason: 'acts as a user or an app on GitHub',
    find: /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})(?![A-Za-z0-9_])/g,
    examples: [
      '"github_token": "gh|p_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE1",',
      'remote: gh|s_16C7e42F292c6912E7710c838347Ae178B4a',
      'github|_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz0123456789',
    ],
    harmless: ['ghp_token', 'const ghp_prefix_of_a_personal_access_token = 1', 'github_pat_ is the prefix'],
  },
  {
    name: 'gitlab-token',
    reason: 'acts as a user, a runner or a deployment on GitLab',
    find: /(?<![A-Za-z0-9])gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{16,255}/g,
    accepts: (secret) => hasDigit(secret) || /[A-Z]/.test(secret),
    examples: ['export T=gl|pat-EXAMPLEq7Yb2KcV9tRw', 'glrt|-t1_8gYxz3QfEXAMPLEabc12'],
    harmless: ['glpat-', 'glft-formatter-of-plain-text'],
  },
  {
    name: 'slack-token',
    reason: 'reads and writes in a Slack workspace',
    find: /(?<![A-Za-z0-9])(?:xox[a-z]-[A-Za-z0-9-]{10,255}|xapp-[0-9]-[A-Za-z0-9-]{10,255})|(hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9]{6,16}\/[A-Za-z0-9/]{8,64}/g,
    examples: [
      'slack: xox|b-1234567890-EXAMPLEabc',
      'xapp|-1-A0123456789-0123456789-EXAMPLEabcdef',
      'POST https://hooks.slack.com/services/T0000|0000/B00000000/XXXXEXAMPLEXXXX',
    ],
    harmless: ['xox', 'xoxb-…', 'https://hooks.slack.com/services/'],
  },
  {
    name: 'stripe-key',
    reason: 'moves money, or proves to be Stripe',
    find: /(?<![A-Za-z0-9])(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}|whsec_[A-Za-z0-9+/=]{16,255})/g,
    examples: ['STRIPE=sk_|test_4eC39HqLyjWDarjtEXAMPLE', 'wh|sec_EXAMPLEabcdef0123456789'],
    harmless: ['pk_test_TYooMQauvdEDq54NiTphI7jx', 'sk_test_', 'risk_test_abcdefghijklmnop'],
  },
  {
    name: 'twilio-key',
    reason: 'sends messages and calls on an account of Twilio',
    find: /(twilio[A-Za-z0-9_. -]{0,24}(?:["'\\]{1,4}|&quot;|&#34;)?[ \t]{0,4}[:=][ \t]{0,4}(?:["'\\]{1,4}|&quot;|&#34;)?)[0-9a-f]{32}(?![0-9A-Za-z])|(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![0-9A-Za-z])/gi,
    accepts: (secret) => !/^sk/.test(secret),
    examples: ['sid SK|0123456789abcdef0123456789abcdef', 'TWILIO_AUTH=01234567|89abcdef0123456789abcdef'],
    harmless: ['sk0123456789abcdef0123456789abcdef', 'TASK0123456789abcdef0123456789abcdef'],
  },
  {
    name: 'sendgrid-key',
    reason: 'sends mail on an account of SendGrid',
    find: /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}/g,
    examples: ['SG|.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf09kqeEXAMPLE'],
    harmless: ['SG.1', 'class MSG.Header', 'SG.short.name'],
  },
  {
    name: 'npm-token',
    reason: 'publishes packages',
    find: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{20,255}(?![A-Za-z0-9_])|(:_auth(?:Token)?[ \t]{0,4}=[ \t]{0,4}["']?)(?!\$)[^\s"']{8,255}/g,
    accepts: hasDigit,
    examples: [
      'npm|_EXAMPLE0123456789abcdefghijABCDEFGHIJ',
      '//packages.example/:_authToken=0123|4567-89ab-cdef-0123-456789abcdef',
    ],
    harmless: ['npm_config_registry=x', 'npm_lifecycle_event', '//packages.example/:_authToken=$NPM_TOKEN'],
  },
  {
    name: 'pypi-token',
    reason: 'publishes packages',
    find: /(?<![A-Za-z0-9])pypi-Ag[A-Za-z0-9_-]{14,1024}/g,
    examples: ['password = py|pi-AgEIcHlwaS5vcmcCJEXAMPLE0123456789'],
    harmless: ['pypi-attestations 0.0.22', 'pypi-Agent'],
  },
  {
    name: 'huggingface-token',
    reason: 'reads and writes models and data sets',
    find: /(?<![A-Za-z0-9])(?:hf|api_org)_[A-Za-z0-9]{20,255}(?![A-Za-z0-9_])/g,
    examples: ['hf|_EXAMPLEabcdefghijklmnopqrstuvwxyzAB'],
    harmless: ['hf_hub_download', 'hf_transfer', 'self_abcdefghijklmnopqrstuvwxyz'],
  },
  {
    name: 'anthropic-key',
    reason: 'spends money at Anthropic',
    find: /(?<![A-Za-z0-9])sk-ant-[A-Za-z0-9_-]{10,255}/g,
    examples: ['"sk-|ant-oat01-EXAMPLEEXAMPLEEXAMPLE"', 'sk-|ant-api03-EXAMPLE_abc-DEF'],
    harmless: ['sk-ant-', 'task-ant-colony-optimisation'],
  },
  {
    name: 'jwt',
    reason: 'is somebody’s session until it runs out',
    find: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4096}(?:\.[A-Za-z0-9_-]{0,8192}){2,4}/g,
    accepts: (secret) =>
      /^[^.]+\.(?:eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*|[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+\..*)$/.test(secret),
    examples: [
      'token ey|JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
      'ey|JhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.',
    ],
    harmless: ['eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbXX0', 'keyJoin.eyJack.map'],
  },
  {
    name: 'google-api-key',
    reason: 'spends money at Google, or acts as a user there',
    find: /(?<![A-Za-z0-9])(?:AIza[A-Za-z0-9_-]{20,128}|ya29\.[A-Za-z0-9_-]{16,2048}|GOCSPX-[A-Za-z0-9_-]{16,64})/g,
    examples: [
      'key=AI|zaSyEXAMPLE-abcdefghijklmnopqrstuv',
      'ya|29.a0EXAMPLEabcdefghijklmnop',
      'GOC|SPX-EXAMPLEabcdefghijkl',
    ],
    harmless: ['AIzaShort', 'ya29.txt'],
  },
  {
    name: 'generic-api-token',
    reason: 'a form that some other issuer gives its keys, or the hash of a password, which can be tried against',
    find: /(?<![A-Za-z0-9])(?:sk-(?:(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{16,255}|[A-Za-z0-9]{20,255})|do[opr]_v1_[0-9a-f]{32,128}|dckr_(?:pat|oat)_[A-Za-z0-9_-]{16,64}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{24,64}|lin_(?:api|oauth)_[A-Za-z0-9]{20,128}|figd_[A-Za-z0-9_-]{20,128}|ATATT3[A-Za-z0-9_=-]{20,512}|AGE-SECRET-KEY-1[A-Z0-9]{20,128}|hv[sbr]\.[A-Za-z0-9_-]{20,512}|sq0[a-z]{3}-[A-Za-z0-9_-]{20,64}|dapi[0-9a-f]{32}|rubygems_[0-9a-f]{32,64}|glsa_[A-Za-z0-9_]{20,64}|pul-[0-9a-f]{40}|PMAK-[0-9a-f-]{32,128}|tskey-[a-z]{2,12}-[A-Za-z0-9-]{16,96})(?![A-Za-z0-9])|\$(?:1|2[abxy]|5|6|7|y|apr1|argon2(?:id|i|d)|scrypt)\$[./A-Za-z0-9$=,+-]{16,512}/g,
    accepts: hasDigit,
    examples: [
      'OPENAI sk-|EXAMPLE0123456789abcdefghijABCDEF',
      'sk-p|roj-EXAMPLE_0123456789-abcdef',
      'd|op_v1_0123456789abcdef0123456789abcdef',
      'dckr|_pat_EXAMPLE0123456789abcd',
      'root:$6$|saltsalt$IxDD3jeSOb5eB1CX5LBsqZFVkJdido3OUILO5Ifz5iwMuTS4XMS130MTSuDDl3aCI6WouIL9AjRbLCelDCy.g.:19000:0',
    ],
    harmless: ['sk-container-id-1', 'sk-estimatordocumentationlinks', 'hvs.example', 'AGE-SECRET-KEY-'],
  },
]
