/**
 * Stands in for typebox in the browser. Pages call the operations of shared/api by method, path and media type;
 * only the server reads their schemas, and a builder for them would be a tenth of what a browser loads.
 */
const nothing: unknown = new Proxy(() => nothing, { get: () => nothing })

export const Type = nothing
