// Original file: proto/temblor/agent/v1/agent.proto


export interface HostFacts {
  'osType'?: (string);
  'osName'?: (string);
  'osVersion'?: (string);
  'cpuCores'?: (number | string);
  'memoryBytes'?: (number | string);
  'dockerVersion'?: (string);
  'engineId'?: (string);
}

export interface HostFacts__Output {
  'osType': (string);
  'osName': (string);
  'osVersion': (string);
  'cpuCores': (number);
  'memoryBytes': (number);
  'dockerVersion': (string);
  'engineId': (string);
}
