import type { AgentDoor } from '../../controller/agents/door.ts'
import type { AgentCall } from '../../controller/agents/stream.ts'
import type { AgentMessage__Output } from '../../proto/gen/temblor/agent/v1/AgentMessage.ts'
import { sawAck, sawOrder, type Traffic } from './self-watch.ts'

/** A door through which orders are seen. It costs a look at each message. */
export function watchDoor(door: AgentDoor, traffic: Traffic): AgentDoor {
  return {
    credentials: door.credentials,
    subjectOf(call) {
      watchCall(call, traffic)
      return door.subjectOf(call)
    },
  }
}

function watchCall(call: AgentCall, traffic: Traffic): void {
  const write = call.write.bind(call) as (...args: unknown[]) => boolean
  call.write = ((...args: Parameters<AgentCall['write']>) => {
    const { run, halt } = args[0]
    const executionId = (run ?? halt)?.executionId
    if (executionId) sawOrder(traffic, executionId)
    return write(...args)
  }) as AgentCall['write']
  const push = call.push.bind(call)
  call.push = (message: AgentMessage__Output | null, encoding) => {
    if (message?.commandAck) sawAck(traffic, message.commandAck.executionId)
    return push(message, encoding)
  }
}
