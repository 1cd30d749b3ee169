// Changes of users, sessions and API keys survive the loss of a server.
export const majority = { writeConcern: { w: 'majority' as const } }
