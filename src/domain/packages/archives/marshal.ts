import type { Gem, GemRequirement } from '#src/domain/packages/archives/gem.ts';

/** What Ruby's Marshal writes: version 4.8, without links between equal parts. */
export function marshal(value: Ruby): Buffer {
  return Buffer.concat([Buffer.from([4, 8]), write(value)]);
}

/** A value of Ruby: symbols, objects of classes and what `_dump` writes are marked. */
export type Ruby =
  | null
  | boolean
  | number
  | string
  | readonly Ruby[]
  | RubySymbol
  | RubyHash
  | RubyObject
  | RubyMarshalled
  | RubyDumped;
interface RubySymbol {
  symbol: string;
}
interface RubyHash {
  hash: readonly (readonly [Ruby, Ruby])[];
}
interface RubyObject {
  object: string;
  fields: readonly (readonly [string, Ruby])[];
}
interface RubyMarshalled {
  marshalled: string;
  value: Ruby;
}
interface RubyDumped {
  dumped: string;
  bytes: Buffer;
  zone?: string;
}

function write(value: Ruby): Buffer {
  if (value === null) return Buffer.from('0');
  if (typeof value === 'boolean') return Buffer.from(value ? 'T' : 'F');
  if (typeof value === 'number') return Buffer.concat([Buffer.from('i'), long(value)]);
  if (typeof value === 'string') return Buffer.concat([Buffer.from('I"'), sized(Buffer.from(value)), UTF8]);
  if (isList(value)) return Buffer.concat([Buffer.from('['), long(value.length), ...value.map(write)]);
  if ('symbol' in value) return Buffer.concat([Buffer.from(':'), sized(Buffer.from(value.symbol))]);
  if ('hash' in value)
    return Buffer.concat([Buffer.from('{'), long(value.hash.length), ...value.hash.flat().map(write)]);
  if ('object' in value) {
    const fields = value.fields.flatMap(([name, field]) => [write({ symbol: name }), write(field)]);
    return Buffer.concat([Buffer.from('o'), write({ symbol: value.object }), long(value.fields.length), ...fields]);
  }
  if ('marshalled' in value)
    return Buffer.concat([Buffer.from('U'), write({ symbol: value.marshalled }), write(value.value)]);
  const own = Buffer.concat([Buffer.from('u'), write({ symbol: value.dumped }), sized(value.bytes)]);
  if (value.zone === undefined) return own;
  return Buffer.concat([Buffer.from('I'), own, long(1), write({ symbol: 'zone' }), write(value.zone)]);
}

function isList(value: object): value is readonly Ruby[] {
  return Array.isArray(value);
}

/** One instance variable: the encoding. */
const UTF8 = Buffer.concat([long(1), Buffer.from(':'), sized(Buffer.from('E')), Buffer.from('T')]);

function sized(bytes: Buffer): Buffer {
  return Buffer.concat([long(bytes.length), bytes]);
}

/** An integer of 31 bits in as few bytes as it needs. */
function long(value: number): Buffer {
  if (value === 0) return Buffer.from([0]);
  if (value > 0 && value < 123) return Buffer.from([value + 5]);
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  return Buffer.from([bytes.length, ...bytes]);
}

/** A version as `Gem::Version`. */
export function gemVersion(version: string): Ruby {
  return { marshalled: 'Gem::Version', value: [version] };
}

function requirement(pairs: GemRequirement): Ruby {
  return {
    marshalled: 'Gem::Requirement',
    value: [pairs.map(([operator, version]) => [operator, gemVersion(version)])],
  };
}

/** A gem as `Gem::Specification`. */
export function gemSpecification(gem: Gem): Ruby {
  const { rubygemsVersion, name, version, date, summary, requiredRuby, requiredRubyGems, platform } = gem;
  const dependencies = gem.dependencies.map(({ name: other, requirement: needed, type }): Ruby => {
    const own = requirement(needed);
    const fields: [string, Ruby][] = [
      ['@name', other],
      ['@requirement', own],
      ['@type', { symbol: type }],
    ];
    return { object: 'Gem::Dependency', fields: [...fields, ['@prerelease', false], ['@version_requirements', own]] };
  });
  const head = [rubygemsVersion, 4, name, gemVersion(version), time(date), summary, requirement(requiredRuby)];
  const people = ['', gem.email, gem.authors, gem.description, gem.homepage, true, platform, gem.licenses];
  const values = [...head, requirement(requiredRubyGems), platform, dependencies, ...people];
  const metadata = { hash: Object.entries(gem.metadata) };
  return { dumped: 'Gem::Specification', bytes: marshal([...values, metadata]) };
}

/** Midnight of a day as `Time`. */
function time(date: string): Ruby {
  const [year = 1980, month = 1, day = 2] = date.split('-').map(Number);
  const bytes = Buffer.alloc(8);
  // The highest bits say that this is the newer form, and UTC.
  bytes.writeUInt32LE(
    (0xc0000000 + ((year - 1900) & 0xffff) * 2 ** 14 + (month - 1) * 2 ** 10 + day * 2 ** 5) >>> 0,
    0,
  );
  return { dumped: 'Time', bytes, zone: 'UTC' };
}
