/** The lab, under the name that tests know. */
export * from './lab.ts'
