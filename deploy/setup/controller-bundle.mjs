// What a build of the controller is made of, whatever programs are around it.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { root, writeBundle } from './write-bundle.mjs'

const lua = 'controller/store/lua'
const protoFile = 'temblor/agent/v1/agent.proto'

/** Native, reading files of their own, or used so seldom that they are better loaded when they are. */
const external = [
  '@node-rs/argon2',
  '@fastify/swagger-ui',
  'samlify',
  'xml-crypto',
  '@xmldom/xmldom',
  'nodemailer',
  'qrcode',
]

/**
 * Bundles programs that hold a controller, with the process that hashes for it, the scripts of the store and the
 * wire contract beside them.
 * @param {string} folder in the root of the project
 * @param {Record<string, string>} programs
 * @param {string} builder who calls
 */
export async function writeControllerBundle(folder, programs, builder) {
  await writeBundle({
    folder,
    programs: { ...programs, 'hash-main': 'controller/auth/hash-main.ts' },
    external,
    files: { ...luaFiles(), [protoFile]: `proto/${protoFile}` },
    builder,
  })
}

function luaFiles() {
  const names = readdirSync(path.join(root, lua), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.lua'))
    .sort()
  return Object.fromEntries(names.map((name) => [`lua/${name}`, `${lua}/${name}`]))
}
