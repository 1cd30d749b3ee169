// The part of the script that finds values which the validators of a model accept.
export const sampleScript = `
  // Values that validators of the application may accept. Their sources are written into the generated tests.
  const samples = {
    String: [
      (count) => \`person-\${count}@example.org\`,
      (count) => \`https://example.org/\${count}\`,
      (count) => \`name \${count}\`,
      (count) => \`name\${count}\`,
      (count) => \`Name\${count}\`,
      (count) => String(count),
      (count) => String(count).padStart(10, '1'),
      (count) => '+4915' + String(count).padStart(9, '1'),
      (count) => \`Secret-\${count}!x\`,
      (count) => String(count).padStart(24, '0'),
      (count) => \`00000000-0000-4000-8000-\${String(count).padStart(12, '0')}\`,
      (count) => 'en',
      (count) => 'US',
      (count) => '#a1b2c3',
      (count) => '12345',
      (count) => 'A',
      (count) => 'a',
    ],
    Number: [
      (count) => count,
      (count) => 1,
      (count) => 10,
      (count) => 100,
      (count) => 0,
      (count) => 0.5,
      (count) => 2,
      (count) => 1000,
      (count) => -1,
    ],
    Date: [
      (count) => new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString(),
      (count) => new Date(Date.UTC(2999, 0, 1, 0, 0, count)).toISOString(),
    ],
    Boolean: [(count) => true, (count) => false],
  }

  function findSample(type) {
    const candidates = Object.hasOwn(samples, type.instance) ? samples[type.instance] : []
    const found = candidates.find((create) =>
      [1, 2, 37].every((count) => {
        try {
          const value = create(count)
          const stored = type.applySetters(value, null)
          return toPlain(stored) === value && !type.doValidateSync(stored, null)
        } catch {
          return false
        }
      }),
    )
    return found && String(found).slice('(count) => '.length)
  }
`
