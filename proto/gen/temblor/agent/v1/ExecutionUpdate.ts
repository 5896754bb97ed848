// Original file: proto/temblor/agent/v1/agent.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A stage that an execution has reached, or new figures in the same stage.
 */
export interface ExecutionUpdate {
  'executionId'?: (string);
  'generation'?: (number);
  /**
   * Counts the updates of one execution; the controller acknowledges it.
   */
  'seq'?: (number | string | Long);
  'stage'?: (string);
  /**
   * One of the end reasons, when the stage is terminal.
   */
  'reason'?: (string);
  'message'?: (string);
  /**
   * How long ago it happened when it was sent.
   */
  'ageMs'?: (number | string | Long);
  /**
   * Effects as JSON; empty when there is nothing new.
   */
  'requestedJson'?: (string);
  'measuredJson'?: (string);
  'backend'?: (string);
}

/**
 * A stage that an execution has reached, or new figures in the same stage.
 */
export interface ExecutionUpdate__Output {
  'executionId': (string);
  'generation': (number);
  /**
   * Counts the updates of one execution; the controller acknowledges it.
   */
  'seq': (number);
  'stage': (string);
  /**
   * One of the end reasons, when the stage is terminal.
   */
  'reason': (string);
  'message': (string);
  /**
   * How long ago it happened when it was sent.
   */
  'ageMs': (number);
  /**
   * Effects as JSON; empty when there is nothing new.
   */
  'requestedJson': (string);
  'measuredJson': (string);
  'backend': (string);
}
