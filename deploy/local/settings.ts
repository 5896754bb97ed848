import { createServer } from 'node:net'

/** What `npm start` reads from its environment. */
export interface StartSettings {
  readonly dataDir: string
  readonly listen: string
  /** Where agents connect; they always speak mutual TLS, so it may be open while the API is not. */
  readonly grpcListen: string
  readonly isTls: boolean
  readonly httpPort: number
  readonly grpcPort: number
  readonly publicUrl: string | undefined
  readonly redisUrl: string | undefined
  readonly company: string
  readonly team: string
  readonly ownerEmail: string
  readonly ownerPassword: string | undefined
}

/**
 * Reads the settings; every one has a default.
 * @throws Error naming the variable and what it may hold
 */
export function readSettings(env: NodeJS.ProcessEnv): StartSettings {
  const listen = env['TEMBLOR_LISTEN'] || '127.0.0.1'
  return {
    dataDir: env['TEMBLOR_DATA_DIR'] || './.temblor',
    listen,
    grpcListen: env['TEMBLOR_GRPC_LISTEN'] || listen,
    isTls: Boolean(env['TEMBLOR_TLS_CERT']),
    httpPort: readPort(env, 'TEMBLOR_HTTP_PORT', 8080),
    grpcPort: readPort(env, 'TEMBLOR_GRPC_PORT', 8081),
    publicUrl: env['TEMBLOR_PUBLIC_URL'] || undefined,
    redisUrl: env['TEMBLOR_REDIS_URL'] || undefined,
    company: env['TEMBLOR_COMPANY'] || 'Temblor',
    team: env['TEMBLOR_TEAM'] || 'Default',
    ownerEmail: env['TEMBLOR_OWNER_EMAIL'] || 'owner@temblor.local',
    ownerPassword: env['TEMBLOR_OWNER_PASSWORD'] || undefined,
  }
}

function readPort(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const text = env[name]
  if (!text) return fallback
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new Error(`${name} cannot be "${text}". Allowed: a port from 1 to 65535, or 0 for any.`)
  return port
}

/**
 * Checks before anything is started that both ports can be had.
 * @throws Error naming the port and the variable
 */
export async function checkPorts(settings: StartSettings): Promise<void> {
  const wanted = [
    ['TEMBLOR_HTTP_PORT', 'TEMBLOR_LISTEN', settings.httpPort, settings.listen],
    ['TEMBLOR_GRPC_PORT', 'TEMBLOR_GRPC_LISTEN', settings.grpcPort, settings.grpcListen],
  ] as const
  for (const [portName, listenName, port, listen] of wanted) {
    const code = port === 0 ? undefined : await bindError(listen, port)
    if (code === 'EADDRINUSE')
      throw new Error(
        `Port ${port} on ${listen} is in use. Set ${portName} to another port, or to 0 for any free one.`,
      )
    if (code)
      throw new Error(
        `Cannot listen on ${listen}:${port} (${code}). See ${portName} and ${listenName}.`,
      )
  }
  if (settings.httpPort !== 0 && settings.httpPort === settings.grpcPort)
    throw new Error('TEMBLOR_HTTP_PORT and TEMBLOR_GRPC_PORT must differ.')
}

function bindError(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}
