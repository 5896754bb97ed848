// Original file: proto/temblor/agent/v1/agent.proto


export interface RenewedCertificate {
  'certificatePem'?: (string);
}

export interface RenewedCertificate__Output {
  'certificatePem': (string);
}
