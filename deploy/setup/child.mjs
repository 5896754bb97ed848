import { spawn } from 'node:child_process'

/**
 * Runs a program on this terminal to its end and passes on SIGINT and SIGTERM, for which it, not we,
 * decides what happens. Resolves to its exit code (128 + 1 for a signal).
 */
export function runChild(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', ...options })
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    const pass = (signal) => child.kill(signal)
    for (const signal of signals) process.on(signal, pass)
    const settle = (act) => (value, signal) => {
      for (const name of signals) process.off(name, pass)
      act(value, signal)
    }
    child.on('error', settle(reject))
    child.on(
      'exit',
      settle((code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 129))),
    )
  })
}
