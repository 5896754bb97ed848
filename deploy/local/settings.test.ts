import { createServer, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { checkPorts, readSettings } from './settings.ts'

test('every setting has a default', () => {
  expect(readSettings({})).toEqual({
    dataDir: './.temblor',
    listen: '127.0.0.1',
    grpcListen: '127.0.0.1',
    isTls: false,
    httpPort: 8080,
    grpcPort: 8081,
    publicUrl: undefined,
    redisUrl: undefined,
    company: 'Temblor',
    team: 'Default',
    ownerEmail: 'owner@temblor.local',
    ownerPassword: undefined,
  })
})

test.each(['abc', '-1', '65536', '80.5', ' 80'])('refuses the port %j by its name', (text) => {
  expect(() => readSettings({ TEMBLOR_GRPC_PORT: text })).toThrow(
    `TEMBLOR_GRPC_PORT cannot be "${text}"`,
  )
})

test('names the port that is in use and the variable that moves it', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const settings = readSettings({ TEMBLOR_HTTP_PORT: '0', TEMBLOR_GRPC_PORT: String(port) })
  await expect(checkPorts(settings)).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use. Set TEMBLOR_GRPC_PORT`,
  )
  server.close()
})

test('two ports that are the same are refused, any free ones are not', async () => {
  const base = readSettings({ TEMBLOR_HTTP_PORT: '0', TEMBLOR_GRPC_PORT: '0' })
  await expect(checkPorts(base)).resolves.toBeUndefined()
  await expect(checkPorts({ ...base, httpPort: 39_871, grpcPort: 39_871 })).rejects.toThrow(
    'differ',
  )
})
