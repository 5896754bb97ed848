import { defineConfig } from 'vitest/config'

/** What is awaited comes when it comes: a second, as by default, is short for a machine with other work. */
const patient = { expect: { poll: { timeout: 15_000 } } }

/** Tests that share the machine's Docker Engine and CPUs run one file after the other. */
const onTheMachine = {
  ...patient,
  fileParallelism: false,
  testTimeout: 120_000,
  hookTimeout: 180_000,
  // The reaper of testcontainers is an image from a registry; the tests remove what they start.
  env: { TESTCONTAINERS_RYUK_DISABLED: 'true' },
}

/** Tests that touch every kind of thing that is kept: they hold on a Redis Cluster of three nodes as well. */
const onCluster = [
  'api-keys',
  'audit-chain',
  'executions',
  'host-retention',
  'large-attacks',
  'mfa',
  'retention',
  'saml',
  'sign-in',
  'teams',
  'two-controllers',
  'users',
].map((name) => `test/integration/${name}.test.ts`)

/**
 * Tests in emulated machines, where a boot takes 15 s and the agent ten times as long as here. One file
 * keeps little more than one core busy.
 */
const inGuests = {
  ...patient,
  maxWorkers: 2,
  globalSetup: 'test/support/guest/make-disks.ts',
  testTimeout: 300_000,
  hookTimeout: 300_000,
}

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...patient,
          name: 'unit',
          include: [
            '{shared,controller,agent,deploy,proto}/**/*.test.ts',
            'test/chaos/check/*.test.ts',
          ],
          // Beside guests everything takes its time.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'contract',
          include: ['test/contract/**/*.test.ts'],
          ...onTheMachine,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          ...onTheMachine,
        },
      },
      {
        test: {
          name: 'cluster',
          include: onCluster,
          globalSetup: 'test/support/start-cluster.ts',
          setupFiles: 'test/support/use-cluster.ts',
          ...onTheMachine,
        },
      },
      {
        test: {
          name: 'chaos',
          include: ['test/chaos/*.test.ts'],
          ...onTheMachine,
          testTimeout: 300_000,
        },
      },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], ...onTheMachine } },
      { test: { name: 'web', include: ['test/web/**/*.test.ts'], ...onTheMachine } },
      { test: { name: 'faults', include: ['test/faults/**/*.test.ts'], ...onTheMachine } },
      {
        test: {
          name: 'guests',
          include: ['test/guests/**/*.test.ts'],
          // Those with more workers than others have their own turn.
          sequence: { groupOrder: 1 },
          ...inGuests,
        },
      },
    ],
  },
})
