// Original file: proto/temblor/agent/v1/agent.proto


/**
 * Connect again at a random moment from … to … ms after this; at once while an attack runs. Until then this
 * session goes on as it was.
 */
export interface Drain {
  'reconnectMinMs'?: (number);
  'reconnectMaxMs'?: (number);
}

/**
 * Connect again at a random moment from … to … ms after this; at once while an attack runs. Until then this
 * session goes on as it was.
 */
export interface Drain__Output {
  'reconnectMinMs': (number);
  'reconnectMaxMs': (number);
}
