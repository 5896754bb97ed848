// Original file: proto/temblor/agent/v1/agent.proto


export interface Refusal {
  /**
   * revoked, identifier_in_use, replaced, forgotten, unknown_team, draining
   */
  'code'?: (string);
  'message'?: (string);
  'final'?: (boolean);
}

export interface Refusal__Output {
  /**
   * revoked, identifier_in_use, replaced, forgotten, unknown_team, draining
   */
  'code': (string);
  'message': (string);
  'final': (boolean);
}
