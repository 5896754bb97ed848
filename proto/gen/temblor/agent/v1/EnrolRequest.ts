// Original file: proto/temblor/agent/v1/agent.proto


export interface EnrolRequest {
  'teamId'?: (string);
  'teamSecret'?: (string);
  /**
   * Made by the agent at its first start; the certificate is for this instance only.
   */
  'instanceId'?: (string);
  /**
   * PKCS #10 request, PEM.
   */
  'csrPem'?: (string);
}

export interface EnrolRequest__Output {
  'teamId': (string);
  'teamSecret': (string);
  /**
   * Made by the agent at its first start; the certificate is for this instance only.
   */
  'instanceId': (string);
  /**
   * PKCS #10 request, PEM.
   */
  'csrPem': (string);
}
