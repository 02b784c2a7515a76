import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma } from '#src/generated/prisma/client.ts';

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;
type Query = Parameters<Adapter['queryRaw']>[0];

/** The adapter of a client, which can be asked for rows past the client once that is connected. */
export class DirectAdapter extends PrismaPg {
  #connected: Adapter | undefined;

  override async connect(): Promise<Adapter> {
    this.#connected = await super.connect();
    return this.#connected;
  }

  /**
   * The rows of a statement, and the errors, as `$queryRaw` has them, but without the quarter of a millisecond of CPU that the
   * client takes for each statement. Times and what numbers cannot hold come as text. Null while there is no connection.
   */
  read(statement: Prisma.Sql): Promise<Record<string, unknown>[]> | null {
    if (!this.#connected) return null;
    const { values } = statement;
    const query = { sql: statement.text, args: values, argTypes: values.map(typeOf) };
    return this.#connected.queryRaw(query as Query).then(named, rethrow);
  }
}

function named({ columnNames, rows }: Awaited<ReturnType<Adapter['queryRaw']>>): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(columnNames.map((name, index) => [name, row[index]])));
}

const SCALAR = { scalarType: 'unknown', arity: 'scalar' } as const;
const LIST = { scalarType: 'unknown', arity: 'list' } as const;

function typeOf(value: unknown): Query['argTypes'][number] {
  return Array.isArray(value) ? LIST : SCALAR;
}

/** What an adapter throws for errors of PostgreSQL. */
interface AdapterError extends Error {
  cause: { originalCode?: string; originalMessage?: string; kind: string; message?: string };
}

/** As the client tells of failed statements. All else, as DatabaseAway, it leaves as it is. */
function rethrow(error: unknown): never {
  if (!isOfAdapter(error)) throw error;
  const { originalCode = 'N/A', originalMessage } = error.cause;
  throw new Prisma.PrismaClientKnownRequestError(
    `Raw query failed. Code: \`${originalCode}\`. Message: \`${originalMessage ?? error.message}\``,
    { code: 'P2010', clientVersion: Prisma.prismaVersion.client, meta: { driverAdapterError: error } },
  );
}

function isOfAdapter(error: unknown): error is AdapterError {
  return error instanceof Error && error.name === 'DriverAdapterError' && typeof error.cause === 'object';
}
