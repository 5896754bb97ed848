// Original file: proto/temblor/agent/v1/agent.proto


export interface Container {
  'id'?: (string);
  'name'?: (string);
  'image'?: (string);
  /**
   * running or paused
   */
  'state'?: (string);
  'labels'?: ({[key: string]: string});
  /**
   * The owner of the host forbids touching it.
   */
  'protected'?: (boolean);
}

export interface Container__Output {
  'id': (string);
  'name': (string);
  'image': (string);
  /**
   * running or paused
   */
  'state': (string);
  'labels': ({[key: string]: string});
  /**
   * The owner of the host forbids touching it.
   */
  'protected': (boolean);
}
