import { inject } from 'vitest'

/** Whatever needs a Redis in this file has the Cluster of the project. */
process.env['TEMBLOR_TEST_REDIS_URL'] = inject('clusterUrl')
