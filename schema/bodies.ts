import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { type Limits, tooLarge } from '#schema/limits.ts';
import { isBrokenOff } from '#src/platform/broken_off.ts';
import { parseJson, UnusableJson } from '#src/platform/json.ts';

/** Fields and files of a multipart request, and bytes of the largest name. */
const PARTS = { fields: 20, files: 20, parts: 40, fieldNameSize: 100 };

/** Reads bodies within their limits: JSON that is counted before it is parsed, few parts of multipart. */
export function readBodies({ bytes }: Pick<Limits, 'bytes'>): Plugin {
  const formDataLimits = { ...PARTS, fieldSize: bytes };
  return {
    onRequestParse({ request, requestParser, setRequestParser }) {
      const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
      if (!requestParser || request.method !== 'POST') return;
      const read = async (body: Request) => {
        if (type === 'multipart/form-data') return requestParser(limited(body, formDataLimits));
        return requestParser(type.endsWith('json') ? withJson(body, readJson(await body.arrayBuffer())) : body);
      };
      setRequestParser((body) => read(body).catch(endedEarly));
    },
  };
}

/** Throws what it means that the client has gone away, which is nobody else's fault; other errors as they are. */
function endedEarly(error: unknown): never {
  if (!isBrokenOff(error)) throw error;
  const extensions = { code: 'BAD_REQUEST', http: { status: 400 } };
  throw new GraphQLError('The body ended before all of it had come.', { extensions });
}

/** A request whose form is read within limits. */
function limited(request: Request, formDataLimits: object): Request {
  const read = request.formData.bind(request) as (options: object) => Promise<FormData>;
  return Object.create(request, { formData: { value: () => read({ formDataLimits }) } });
}

/** A request whose body has been read. */
function withJson(request: Request, value: unknown): Request {
  return Object.create(request, { json: { value: async () => value } });
}

function readJson(body: ArrayBuffer): unknown {
  try {
    return parseJson(new Uint8Array(body));
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error;
    if (error.tooLarge) throw tooLarge(`${error.message}.`);
    throw new GraphQLError(error.message, { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } });
  }
}
