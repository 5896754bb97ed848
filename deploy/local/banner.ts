import type { LocalFile } from './local-file.ts'

interface BannerFacts {
  readonly local: LocalFile
  readonly localFilePath: string
  /** The owner was made by this start, with a password that nobody chose. */
  readonly newPassword: string | null
  readonly agentIdentifier: string
  readonly agentWarnings: readonly string[]
  readonly logsPath: string
}

/** What `npm start` tells the person who started it. */
export function banner(facts: BannerFacts): string {
  const { local } = facts
  const isLocalOnly = /^(127\.|localhost|\[::1\])/.test(local.grpcAddress)
  return [
    `Temblor is running at ${local.appUrl} (API: ${local.baseUrl})`,
    `  company ${local.company.name}, team ${local.team.name}, agent on this host: ${facts.agentIdentifier}`,
    ...facts.agentWarnings.map((warning) => `  note: ${warning}`),
    '',
    `Owner: ${local.owner.email}`,
    ...(facts.newPassword ? [`Password (shown this once): ${facts.newPassword}`] : []),
    '',
    'Run an attack (half of one core of this host for 30 s):',
    '',
    curlLines(local, facts.localFilePath),
    '',
    'Add another host (with this repository on it):',
    '',
    `  echo '${local.join}' | sudo npx temblor init && sudo npx temblor agent run`,
    ...(isLocalOnly
      ? [
          '  (works on this machine only; to reach it from others see docs/operations.md, Addresses)',
        ]
      : []),
    '',
    `Logs: ${facts.logsPath}. Ctrl-C ends it; running attacks are halted and reverted first.`,
  ].join('\n')
}

/** Two commands for bash that sign in and run an attack, with nothing but curl. */
export function curlLines(local: LocalFile, localFilePath: string): string {
  const password = local.owner.password
  return [
    `  HEADER=$(curl -sS ${shellQuote(`${local.baseUrl}/users/auth`)} --data-urlencode ${shellQuote(`email=${local.owner.email}`)} \\`,
    `    --data-urlencode ${passwordArgument(password, localFilePath)} \\`,
    `    | grep -o '"header":"[^"]*"' | head -n 1 | cut -d '"' -f 4)`,
    `  curl -sS ${shellQuote(`${local.baseUrl}/attacks/new`)} -H "Authorization: $HEADER" -H 'Content-Type: application/json' \\`,
    `    -d '{"command":{"type":"cpu","args":["-l","30","-p","50"]},"target":{"type":"Random"}}'; echo`,
  ].join('\n')
}

/** A plain password is read from local.json, so that it does not end up in the shell's history. */
function passwordArgument(password: string | null, localFilePath: string): string {
  if (password === null) return `'password=YOUR-PASSWORD'`
  if (!/^[\w.~+-]+$/.test(password)) return shellQuote(`password=${password}`)
  return `"password=$(sed -n 's/.*"password": "\\(.*\\)".*/\\1/p' ${shellQuote(localFilePath)})"`
}

function shellQuote(text: string): string {
  return /^[\w./:@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
