// A write with it survives the loss of a server.
export const majority = { writeConcern: { w: 'majority' as const } }
