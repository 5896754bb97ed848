import type { AgentWord, ExecutionReport } from '../../controller/store/executions.ts'

type ReportWord = Extract<AgentWord, { kind: 'report' }>

/** What an agent says of an execution: where it stands, and nothing more than a test cares for. */
export function reportWord(
  of: Pick<ExecutionReport, 'executionId' | 'seq' | 'stage'> & Partial<ExecutionReport>,
): ReportWord {
  return {
    kind: 'report',
    host: 'h1',
    epoch: 1,
    reason: undefined,
    message: '',
    ageMs: 0,
    requested: undefined,
    measured: undefined,
    backend: '',
    clientVersion: '1',
    lostInMs: 60_000,
    ...of,
  }
}
