import { Argument, type Command } from 'commander'
import { completionSteps } from '../completion-words.ts'
import { bashScript, zshScript } from '../output/completion-script.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'

/** `temblor completion bash|zsh`. */
export function registerCompletion(program: Command, io: CliIo): void {
  program
    .command('completion')
    .description('Print a script that completes commands, attack types and their flags.')
    .addArgument(new Argument('<shell>', 'the shell that runs it').choices(['bash', 'zsh']))
    .addHelpText(
      'after',
      `
Examples:
  source <(temblor completion bash)                                # in ~/.bashrc
  temblor completion zsh > "\${fpath[1]}/_temblor"                  # once`,
    )
    .action((shell: string) => {
      const steps = completionSteps(program)
      const script = shell === 'zsh' ? zshScript(steps) : bashScript(steps)
      printResult(io, { shell, script }, () => script)
    })
}
