/** Names of variables whose value is a secret, by what people call them. */

/** Words that such a name ends with, alone or behind `_`; numbers of tokens and paths of keys are none. */
const ENDS =
  /(?:^|_)(?:API_?TOKEN|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|APIKEY|SECRET_?KEY|PRIVATE_?KEY|ACCESS_?KEY|AUTH_?KEY|SIGNING_?KEY|ENCRYPTION_?KEY|MASTER_?KEY|ADMIN_?KEY|SERVICE_?KEY|DEPLOY_?KEY|LICEN[CS]E_?KEY|JWT_?KEY|HMAC_?KEY|ACCOUNT_?KEY|STORAGE_?KEY|SUBSCRIPTION_?KEY|CONNECTION_?STRING|WEBHOOK_?SECRET)$|_(?:PASS|PWD|PAT)$/

/** Issuers whose bare `_KEY` is one. */
const ISSUERS =
  /^(?:\w+_)?(?:STRIPE|OPENAI|ANTHROPIC|GEMINI|MISTRAL|SENDGRID|TWILIO|MAILGUN|DATADOG|SENTRY|GITHUB|GITLAB|SLACK|AZURE|GCP|GOOGLE|ALGOLIA|MAPBOX|HEROKU|CLOUDFLARE)_KEY$/

/** Whether a variable of this name holds a secret: `API_KEY`, `GITHUB_TOKEN`, `DB_PASSWORD`, not `OLDPWD` or `CACHE_KEY`. */
export const isSecretName = (name: string): boolean =>
  (ENDS.test(name) || ISSUERS.test(name)) && name !== 'OLD_PWD' && !/^(?:NEXT_PUBLIC|PUBLIC|VITE|REACT_APP)_/.test(name)
