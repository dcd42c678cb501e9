/** Variables by which clients learn of the bundle of certificates; each honours another one. */

/** `bundle`: roots and the environment's certificate; `ca`: without the roots. Paths inside the sandbox. */
export const trustVariables = (bundle: string, ca: string): Readonly<Record<string, string>> => ({
  SSL_CERT_FILE: bundle,
  REQUESTS_CA_BUNDLE: bundle,
  CURL_CA_BUNDLE: bundle,
  GIT_SSL_CAINFO: bundle,
  PIP_CERT: bundle,
  AWS_CA_BUNDLE: bundle,
  CARGO_HTTP_CAINFO: bundle,
  NIX_SSL_CERT_FILE: bundle,
  npm_config_cafile: bundle,
  // These add to roots of their own.
  NODE_EXTRA_CA_CERTS: ca,
  DENO_CERT: ca,
})
