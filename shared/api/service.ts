import { Type } from 'typebox'
import { defineRoute } from './route.ts'

const Part = Type.Object({
  status: Type.Enum(['ok', 'warning', 'failed']),
  message: Type.String(),
})

export const readHealth = defineRoute({
  operationId: 'readHealth',
  method: 'GET',
  path: '/health',
  tag: 'service',
  summary: 'Whether the controller is ready, part by part. 503 while it is not.',
  access: 'public',
  success: {
    status: 200,
    schema: Type.Object({
      status: Type.Enum(['ok', 'failed']),
      version: Type.String(),
      parts: Type.Record(Type.String(), Part),
    }),
  },
  errors: ['not_ready'],
})

export const readOpenApi = defineRoute({
  operationId: 'readOpenApi',
  method: 'GET',
  path: '/openapi.json',
  tag: 'service',
  summary: 'This interface as an OpenAPI 3.1 document.',
  access: 'public',
  success: { status: 200, schema: Type.Object({}, { additionalProperties: true }) },
  errors: [],
})
