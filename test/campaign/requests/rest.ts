import { readFileSync } from 'node:fs';
import { packagePath } from '#src/platform/package_root.ts';
import type { Json } from '../../support/http.ts';
import { anyNumber, anyText, anything, pick, type Random } from './values.ts';

/** A request as it is sent. */
export interface GeneratedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** The operation that it is meant for. */
  operation: string;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Json;
}

interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  body: { type: string; schema: Json }[];
}

const document: Json = JSON.parse(readFileSync(packagePath('rest/openapi.json'), 'utf8'));
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head'];

const resolved = (value: Json): Json =>
  typeof value?.$ref === 'string'
    ? value.$ref
        .slice(2)
        .split('/')
        .reduce((at: Json, key: string) => at[key.replaceAll('~1', '/')], document)
    : value;

const operations: Operation[] = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods)
    .filter(([method]) => METHODS.includes(method))
    .map(([method, { operationId, parameters = [], requestBody }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
      parameters: parameters.map(resolved),
      body: Object.entries<Json>(resolved(requestBody)?.content ?? {}).map(([type, { schema }]) => ({ type, schema })),
    })),
);

/** What answers have told: values of properties of records, by the last word of the path that led to them. */
export class Pool {
  readonly #values = new Map<string, unknown[]>();

  /** Remembers the IDs and names in an answer. */
  learn(path: string, body: Json): void {
    const literal = lastWord(path);
    for (const record of (Array.isArray(body) ? body : [body]).slice(0, 20)) {
      if (typeof record !== 'object' || record === null) continue;
      for (const name of [
        'id',
        'iid',
        'sha',
        'name',
        'path',
        'slug',
        'key',
        'username',
        'tag_name',
        'title',
        'full_path',
        'path_with_namespace',
      ])
        if (['number', 'string'].includes(typeof record[name]) && String(record[name]).length < 200)
          this.#add(`${literal}.${name}`, record[name]);
    }
  }

  of(key: string): readonly unknown[] {
    return this.#values.get(key) ?? [];
  }

  clear(): void {
    this.#values.clear();
  }

  #add(key: string, value: unknown): void {
    const known = this.#values.get(key) ?? [];
    this.#values.set(key, known);
    if (known.includes(value)) return;
    if (known.length >= 60) known.shift();
    known.push(value);
  }
}

/** Of `/projects/1/issues/2/notes` it is `notes`; numbers and paths are values. */
function lastWord(path: string): string {
  return path.split('/').findLast((word) => /^[a-z_]+$/.test(word)) ?? '';
}

/** The lists that a project and a group of the sample data have, and those of the server: what they hold is named in other requests. */
export const LISTS: readonly string[] = operations
  .filter(
    ({ method, path }) => method === 'GET' && /^\/api\/v4\/(?:(?:projects|groups)\/\{id\}\/)?[a-z_/]+$/.test(path),
  )
  .map(({ path }) => path.replace('projects/{id}', 'projects/1').replace('groups/{id}', 'groups/orchard'));

/** Where the records are that the sample data have. */
const PLACES: Readonly<Record<string, readonly (string | number)[]>> = {
  projects: [
    1,
    1,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    'orchard/apples',
    'harbor/ledger',
    'orchard/website',
    'no/where',
    999_999,
  ],
  groups: [...[2, 3, 4, 5, 10, 11, 12], 'orchard', 'harbor', 'orchard/tools', 'orchard/tools/ci', 'none', 999_999],
  users: [1, 2, 3, 4, 5, 6, 7, 8, 9, 'ada', 'fern'],
  namespaces: ['orchard', 'ada', 1, 2],
};

/** Generates requests from the OpenAPI document: most are valid as far as the document says, others nearly. */
export class RestGenerator {
  readonly #random: Random;
  readonly #pool: Pool;
  readonly #operations: readonly Operation[];

  /** @param onlyReads whether requests change nothing */
  constructor(random: Random, pool: Pool, onlyReads = false) {
    this.#random = random;
    this.#pool = pool;
    this.#operations = onlyReads
      ? operations.filter(({ method }) => method === 'GET' || method === 'HEAD')
      : operations;
  }

  next(): GeneratedRequest {
    const random = this.#random;
    const operation = pick(random, this.#operations);
    // How many of its values are not what they should be.
    const wrong = random() < 0.5 ? 0 : random() < 0.7 ? 0.1 : 0.5;
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => this.#inPath(operation, name, wrong / 4));
    const query = operation.parameters
      .filter((parameter) => parameter.in === 'query' && (parameter.required || random() < 0.25))
      .flatMap(({ name, schema }) => this.#pairs(name, this.#value(name, schema, wrong)));
    if (random() < wrong / 5) query.push([anyText(random), anyText(random)]);
    const headers: Record<string, string> = {};
    const [search, body] = [
      query.map((pair) => pair.map(encoded).join('=')).join('&'),
      this.#body(operation, wrong, headers),
    ];
    return {
      operation: operation.id,
      method: operation.method,
      path: search === '' ? path : `${path}?${search}`,
      headers,
      ...(body !== undefined && { body }),
    };
  }

  #inPath({ path, parameters }: Operation, name: string, wrong: number): string {
    const random = this.#random;
    if (random() < wrong) return encoded(random() < 0.5 ? anyText(random) : anyNumber(random)) || 'x';
    const words = path
      .slice(0, path.indexOf(`{${name}}`))
      .split('/')
      .filter((word) => word !== '');
    const literal = words.findLast((word) => !word.startsWith('{')) ?? '';
    const isFirst = words.length === 3;
    const places = isFirst ? PLACES[literal] : undefined;
    const own = name.endsWith('iid') ? 'iid' : name.endsWith('_id') || name === 'id' ? 'id' : undefined;
    const properties = own ? [own] : ['name', 'sha', 'path', 'slug', 'key', 'id', 'tag_name', 'title', 'username'];
    const known = properties.flatMap((property) => this.#pool.of(`${literal}.${property}`));
    if (places && (known.length === 0 || random() < 0.7)) return encoded(pick(random, places));
    if (known.length > 0 && random() < 0.85) return encoded(pick(random, known));
    const schema = parameters.find((one) => one.name === name && one.in === 'path')?.schema ?? {};
    return encoded(this.#value(name, schema, 0)) || 'x';
  }

  #body(operation: Operation, wrong: number, headers: Record<string, string>): string | undefined {
    const random = this.#random;
    if (operation.body.length === 0 || random() < wrong / 10) return undefined;
    const { type, schema } = pick(random, operation.body);
    headers['Content-Type'] = type;
    if (random() < wrong / 10) {
      headers['Content-Type'] = pick(random, [
        'application/json',
        'text/plain',
        'application/json; charset=utf-16',
        'a',
        'multipart/form-data',
      ]);
      return pick(random, [
        '{',
        '[]',
        'null',
        '"a"',
        '1',
        `${'['.repeat(200)}`,
        '{"a":1,"a":2}',
        'a=b&a[]=c&a[b]=d',
        '',
        '\ufeff{}',
        '{"a":1e999}',
      ]);
    }
    const value = random() < wrong / 10 ? anything(random) : this.#value('', schema, wrong);
    if (type === 'application/json') return JSON.stringify(value);
    const pairs = isRecord(value) ? Object.entries(value).flatMap(([name, one]) => this.#pairs(name, one)) : [];
    if (type === 'application/x-www-form-urlencoded') return pairs.map((pair) => pair.map(encoded).join('=')).join('&');
    if (type !== 'multipart/form-data') return JSON.stringify(value);
    const boundary = 'campaign-boundary';
    headers['Content-Type'] = `multipart/form-data; boundary=${boundary}`;
    const parts = pairs.map(([name, one]) => {
      const isFile = /file|avatar|image|content/.test(name) && random() < 0.8;
      const named = `form-data; name="${name.replace(/["\r\n]/g, '')}"${isFile ? '; filename="a.png"' : ''}`;
      return `--${boundary}\r\nContent-Disposition: ${named}\r\n${isFile ? 'Content-Type: image/png\r\n' : ''}\r\n${one}\r\n`;
    });
    return `${parts.join('')}--${boundary}${random() < wrong / 5 ? '' : '--\r\n'}`;
  }

  #pairs(name: string, value: unknown): [string, string][] {
    if (Array.isArray(value)) return value.flatMap((one) => this.#pairs(name.endsWith('[]') ? name : `${name}[]`, one));
    if (isRecord(value)) return Object.entries(value).flatMap(([key, one]) => this.#pairs(`${name}[${key}]`, one));
    return [[name, value === null || value === undefined ? '' : String(value)]];
  }

  #value(name: string, given: Json, wrong: number, depth = 4): unknown {
    const random = this.#random;
    const schema = resolved(given) ?? {};
    if (random() < wrong) return anything(random);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return pick(random, schema.enum);
    const either = schema.anyOf ?? schema.oneOf;
    if (either) return this.#value(name, pick(random, either), wrong, depth);
    if (schema.allOf)
      return Object.assign({}, ...schema.allOf.map((one: Json) => this.#value(name, one, wrong, depth)));
    const type = Array.isArray(schema.type) ? pick(random, schema.type) : schema.type;
    if (type === 'null') {
      const others = [schema.type].flat().filter((one) => one !== 'null');
      return others.length === 0 || random() < 0.3
        ? null
        : this.#value(name, { ...schema, type: others }, wrong, depth);
    }
    if (type === 'boolean') return random() < 0.5;
    if (type === 'integer' || type === 'number') return this.#number(name, schema);
    if (type === 'array')
      return Array.from({ length: Math.floor(random() * 3) }, () =>
        this.#value(name, schema.items ?? {}, wrong, depth - 1),
      );
    if (type === 'object' || schema.properties) return this.#object(schema, wrong, depth);
    return this.#text(name, schema);
  }

  #object(schema: Json, wrong: number, depth: number): Record<string, unknown> {
    const random = this.#random;
    const value: Record<string, unknown> = {};
    const chance = random() < 0.5 ? 0.15 : 0.5;
    for (const [name, one] of Object.entries<Json>(schema.properties ?? {})) {
      const isRequired = schema.required?.includes(name);
      if (isRequired ? random() < wrong / 3 : depth <= 0 || random() > chance) continue;
      value[name] = this.#value(name, one, wrong, depth - 1);
    }
    if (schema.additionalProperties && random() < 0.5)
      value[anyText(random)] = this.#value('', schema.additionalProperties, wrong, depth - 1);
    if (random() < wrong / 5) value[pick(random, ['__proto__', 'constructor', 'a', ''])] = anything(random);
    return value;
  }

  #number(name: string, { minimum, maximum }: Json): number {
    const random = this.#random;
    if (/access_level/.test(name)) return pick(random, [0, 5, 10, 20, 30, 40, 50, 60]);
    const known = this.#known(name);
    if (known.length > 0 && random() < 0.6) return Number(pick(random, known)) || 1;
    const value = anyNumber(random);
    if (random() < 0.1) return value;
    return Math.min(maximum ?? Infinity, Math.max(minimum ?? -Infinity, Math.trunc(value)));
  }

  #text(name: string, { format, maxLength }: Json): string {
    const random = this.#random;
    if (format === 'date') return pick(random, ['2026-11-30', '2026-12-24', '2025-02-28', '2030-01-01']);
    if (format === 'date-time')
      return pick(random, ['2026-11-30T12:00:00Z', '2025-03-01T00:00:00+02:00', '2031-01-01T00:00:00.123Z']);
    if (/(?:^|_)url$|link/.test(name))
      return pick(random, ['http://127.0.0.1:1/a', 'http://gantry.invalid/x', 'https://127.0.0.1:1', anyText(random)]);
    if (/^(?:ref|branch|sha|start_branch|source_branch|target_branch|from|to|tag_name|ref_name)$/.test(name))
      return pick(random, [
        'main',
        'main',
        'v1.0.0',
        'v1.1.0',
        'nowhere',
        ...this.#known('sha').map(String),
        anyText(random),
      ]);
    const known = this.#known(name);
    if (known.length > 0 && random() < 0.5) return String(pick(random, known));
    return anyText(random).slice(0, maxLength ?? 10_000);
  }

  /** What answers told that may be meant by a name such as `milestone_id`, `labels` or `assignee_username`. */
  #known(name: string): readonly unknown[] {
    const [, word = name, property = 'id'] =
      /^(?:\w*_)?([a-z]+?)_?(ids?|iids?|username|name|sha)?$/.exec(name.replace('[]', '')) ?? [];
    const meant =
      { assignee: 'user', author: 'user', source: 'project', target: 'project', namespace: 'group', sha: 'commit' }[
        word
      ] ?? word;
    const plural = `${meant.replace(/s$/, '')}s`;
    return this.#pool.of(`${plural}.${property.replace(/s$/, '')}`);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function encoded(value: unknown): string {
  return encodeURIComponent(String(value ?? '').toWellFormed());
}

export const OPERATIONS = operations.length;
