import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionArgs } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { readBodies } from '#schema/bodies.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { documents, type Measured } from '#schema/documents.ts';
import { maskError } from '#schema/errors.ts';
import { executeWithin } from '#schema/execute.ts';
import { schema } from '#schema/index.ts';
import { Limiter, type Limits, tooLarge } from '#schema/limits.ts';
import type { BudgetLimits } from '#src/budget.ts';
import { FairQueue } from '#src/fair_queue.ts';

export interface GraphQLServerOptions {
  /** Who asks, and with what. Throws DomainErrors. */
  contextOf(request: IncomingMessage): Promise<GraphQLContext>;
  /** Hears of errors that clients are not told. */
  report(error: unknown): void;
  limits: Limits;
  /** What an operation may use of the database. */
  budget?: BudgetLimits | undefined;
}

/** Operations that cost more than this keep the event loop busy for so long that only few of them run at a time. */
const LARGE = 5000;

/** Large operations: of one caller one at a time, so that nobody else waits for them. */
const QUEUE = { concurrency: 4, perCaller: 1, waitingPerCaller: 20, waiting: 200, patience: 20_000 };

/** The handler for /graphql: GraphQL over HTTP. */
export function createGraphQLServer({ contextOf, report, limits, budget }: GraphQLServerOptions) {
  const limiter = new Limiter(schema, limits);
  const yoga = createYoga<{ req: IncomingMessage; res: ServerResponse }, GraphQLContext & Measured>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    logging: false,
    batching: { limit: limits.batch },
    graphiql: false,
    parserAndValidationCache: false,
    cors: { origin: '*', credentials: false, methods: ['GET', 'POST', 'OPTIONS'] },
    maskedErrors: { maskError: (error) => maskError(error, report) },
    plugins: [readBodies(limits), documents(limits, limiter), execution(limiter, report, budget)],
    context: ({ req }) => contextOf(req),
  });
  return (request: IncomingMessage, response: ServerResponse) => yoga(request, response);
}

type Executing = GraphQLContext & Measured & { req?: IncomingMessage };

/** Runs operations within their budgets, the large ones by turns, and tells what they cost where that is asked for. */
function execution(limiter: Limiter, report: (error: unknown) => void, budget?: BudgetLimits): Plugin<Executing> {
  const queue = new FairQueue(QUEUE);
  return {
    onExecute({ args, setExecuteFn }) {
      const { measure, actor, clientAddress, req } = args.contextValue;
      // Every document is measured where it is parsed.
      if (!measure) throw tooLarge('The operation was not measured.');
      setExecuteFn(async (given: ExecutionArgs) => {
        const work = () => executeWithin(given, report, budget);
        const caller = actor ? `user ${actor.id}` : `address ${clientAddress}`;
        const result = await (measure.cost > LARGE ? queue.run(caller, work) : work());
        if (req?.headers['graphql-cost'] === undefined) return result;
        return { ...result, extensions: { ...result.extensions, cost: limiter.report(measure) } };
      });
    },
  };
}
