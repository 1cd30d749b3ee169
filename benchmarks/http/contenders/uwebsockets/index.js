// What ultimate-express requires as uWebSockets.js, whose own releases are on GitHub only.
export * from 'uws-pack'
