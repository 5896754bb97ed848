import { Argument, Command } from 'commander'
import { expect, test } from 'vitest'
import { completionSteps } from './completion-words.ts'
import { bashScript, zshScript } from './output/completion-script.ts'

const program = new Command('temblor').helpOption('--help')
const attack = program.command('attack').description("It's attacks: all of them.")
attack.command('cpu').allowUnknownOption()
attack.command('latency').allowUnknownOption()
attack.command('list').option('--since <time>', 'created since').option('-x', 'no long form')
program.command('attack-container').argument('<container>')
program.command('completion').addArgument(new Argument('<shell>').choices(['bash', 'zsh']))

const steps = completionSteps(program)
const after = (path: string) => steps.find((step) => step.path === path)?.words.map((w) => w.word)

test('each command is followed by its commands, choices and long options', () => {
  expect(after('')).toEqual(['attack', 'attack-container', 'completion', '--help'])
  expect(after('attack')).toEqual(['cpu', 'latency', 'list', '--help'])
  expect(after('attack list')).toEqual(['--since', '--help'])
  expect(after('completion')).toEqual(['bash', 'zsh', '--help'])
})

test('local attacks have the flags of their type', () => {
  const flags = ['--length', '--cores', '--all-cores', '--percent']
  expect(after('attack cpu')).toEqual([...flags, '--help'])
  expect(after('attack-container cpu')).toEqual([...flags, '--json'])
  expect(after('attack latency')).toEqual(
    expect.arrayContaining(['--ms', '--hostname', '--no-derived-exclusion-rules']),
  )
})

test('descriptions are quoted for the shell', () => {
  expect(zshScript(steps)).toContain(String.raw`'attack:It'\''s attacks: all of them.'`)
  expect(bashScript(steps)).toContain("'attack list') echo '--since --help' ;;")
})
