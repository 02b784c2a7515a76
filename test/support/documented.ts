import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { packagePath } from '#src/platform/package_root.ts';
import { recordExample } from './examples.ts';
import type { Answer, Json } from './http.ts';

/**
 * Throws where the answer to a request is not what rest/openapi.json says of it: status, content type, headers that are
 * always there, and the body, down to keys that the document does not have. Left out is what the document says nothing of:
 * paths beside those of the REST API, and paths or methods that it does not have.
 */
export function requireDocumented(method: string, target: string, answer: Answer, sent?: unknown): void {
  const path = target.split('?', 1)[0] ?? '';
  if (!path.startsWith('/api/v4/')) return;
  const isHead = method === 'HEAD';
  const found = operationOf(isHead ? 'get' : method.toLowerCase(), path, isHead);
  if (!found) return;
  const wrong = problems(found, answer, isHead);
  if (wrong.length === 0) {
    recordExample(found.id, answer, sent);
    return;
  }
  const shown = JSON.stringify(answer.body)?.slice(0, 2000);
  throw new Error(`${method} ${path} is not answered as documented:\n${wrong.join('\n')}\n${answer.status} ${shown}`);
}

interface Operation {
  /** Where it stands in the document, as a JSON pointer. */
  pointer: string;
  method: string;
  id: string;
  responses: Record<string, Json>;
}

const document: Json = JSON.parse(readFileSync(packagePath('rest/openapi.json'), 'utf8'));

/** The operations of the document by the shapes of their paths: literal segments come before parameters. */
const shapes = Object.keys(document.paths)
  .map((path) => ({
    path,
    // A parameter never takes a slash: callers encode it.
    pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    parameters: path.match(/\{/g)?.length ?? 0,
  }))
  .sort((a, b) => a.parameters - b.parameters);

const known = new Map<string, Operation>();

function operationOf(method: string, path: string, isHead: boolean): Operation | null {
  const shape = shapes.find(({ pattern, path: at }) => pattern.test(path) && document.paths[at][method]);
  if (!shape) return null;
  return ofShape(shape.path, isHead && document.paths[shape.path].head ? 'head' : method);
}

function ofShape(at: string, method: string): Operation {
  const key = `${method} ${at}`;
  const operation = known.get(key) ?? {
    pointer: `/paths/${at.replaceAll('/', '~1')}/${method}`,
    method,
    id: document.paths[at][method].operationId,
    responses: document.paths[at][method].responses,
  };
  known.set(key, operation);
  return operation;
}

/** What is wrong with the body of an answer in JSON by what the document says of it. */
export function faultsOfBody(path: string, method: string, status: number, body: Json): string[] {
  const pointer = `/paths/${path.replaceAll('/', '~1')}/${method}`;
  const operation = { pointer, method, id: '', responses: document.paths[path][method].responses };
  return faults(validator(operation, status, 'application/json'), body);
}

/** What is wrong with the JSON that is sent. */
export function faultsOfRequest(path: string, method: string, sent: Json): string[] {
  const $ref = `${ID}#${encodeURI(`/paths/${path.replaceAll('/', '~1')}/${method}`)}/requestBody/content/application~1json/schema`;
  const validate = validators.get($ref) ?? ajv.compile({ $ref });
  validators.set($ref, validate);
  return faults(validate, sent);
}

function faults(validate: ValidateFunction, value: Json): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function problems(operation: Operation, { status, headers, body }: Answer, isHead: boolean): string[] {
  const response = resolved(operation.responses[status]);
  if (!response) return [`There is no status ${status}`];
  const lacking = Object.entries<Json>(response.headers ?? {})
    .filter(([name, header]) => resolved(header).required && headers[name.toLowerCase()] === undefined)
    .map(([name]) => `The header ${name} is missing`);
  // Only reads and deletions of what is not there may lack the body that the document has.
  if (body === null && (isHead || !response.content || (operation.method === 'delete' && status === 200)))
    return lacking;
  if (!response.content) return [...lacking, 'There is a body'];
  const type = headers['content-type']?.split(';', 1)[0] ?? '';
  if (!response.content[type]) return [...lacking, `The content type ${type} is not among those of the document`];
  if (type !== 'application/json') return lacking;
  return [...lacking, ...faults(validator(operation, status, type), body)];
}

function resolved(value: Json): Json {
  const reference = value?.$ref;
  if (typeof reference !== 'string') return value;
  return reference
    .slice('#/'.length)
    .split('/')
    .reduce((at: Json, key) => at[key], document);
}

const ID = 'openapi.json';
// The schemas are made by our own generator and are compiled once: it is compiling that takes time.
const ajv = new Ajv2020({ strict: false, validateSchema: false, inlineRefs: false, code: { optimize: false } });
ajvFormats.default(ajv);
ajv.addSchema({ $id: ID, ...closed(document) });

const validators = new Map<string, ValidateFunction>();

/** Compiled when the first answer needs it. */
function validator({ pointer, responses }: Operation, status: number, type: string): ValidateFunction {
  const reference: string = responses[status].$ref ?? `#${encodeURI(`${pointer}/responses/${status}`)}`;
  const $ref = `${ID}${reference}/content/${type.replace('/', '~1')}/schema`;
  const validate = validators.get($ref) ?? ajv.compile({ $ref });
  validators.set($ref, validate);
  return validate;
}

/** The document with schemas of records that take no keys but those they name. */
function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, closed(entry)]));
  const isRecord = value.type === 'object' && value.properties && value.additionalProperties === undefined;
  return isRecord ? { ...inner, additionalProperties: false } : inner;
}
