/** A glob that cannot be used; the message is a clause for people. */
export class BadGlob extends Error {}
