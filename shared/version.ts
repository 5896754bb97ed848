import manifest from '../package.json' with { type: 'json' }

/** The version of Temblor; controller, agent and CLI are released together. */
export const version: string = manifest.version
