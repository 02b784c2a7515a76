import { type ExecutionArgs, type ExecutionResult, execute, GraphQLError, getOperationAST } from 'graphql';
import { maskError } from '#schema/errors.ts';
import { Budget, type BudgetLimits, within } from '#src/platform/budget.ts';
import { observeOperation } from '#src/platform/metrics/operations.ts';

/**
 * Executes an operation within a budget of its own, and masks what clients are not told. A query ends when the budget does,
 * with the one error that says why; a mutation comes to its end, as what it has done stays done.
 *
 * @param report hears of errors that clients are not told
 */
export async function executeWithin(
  args: ExecutionArgs,
  report: (error: unknown) => void,
  limits?: BudgetLimits,
): Promise<ExecutionResult> {
  using budget = new Budget(limits);
  const operation = getOperationAST(args.document, args.operationName);
  const isQuery = operation?.operation === 'query';
  const facts = { type: operation?.operation ?? 'unknown', name: operation?.name?.value };
  const over = () => {
    const { exceeded } = budget;
    return exceeded && [new GraphQLError(exceeded.message, { extensions: exceeded.extensions })];
  };
  try {
    const abortSignal = isQuery ? { abortSignal: budget.signal } : {};
    const result = await within(budget, () =>
      observeOperation(facts, async () => execute({ ...args, ...abortSignal })),
    );
    if (!result.errors) return result;
    return { ...result, errors: over() ?? result.errors.map((error) => maskError(error, report)) };
  } catch (error) {
    const errors = over();
    if (!errors) throw error;
    return { errors };
  }
}
