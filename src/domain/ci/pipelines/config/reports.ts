import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import {
  type ExpansionLimit,
  isRecord,
  type Raw,
  readNames,
  requireKeys,
} from '#src/domain/ci/pipelines/config/base/values.ts';
import { REPORTS } from '#src/domain/ci/reports/kinds.ts';

const COVERAGE = ['cobertura', 'jacoco'];

/** Reads the files of each kind of report, by kind. Throws InvalidConfig. */
export function readReports(value: unknown, where: string, budget: ExpansionLimit): Record<string, string[]> | null {
  if (value == null) return null;
  if (!isRecord(value)) throw new InvalidConfig(`${where} config should be a hash`);
  const { coverage_report: coverage, ...others } = value;
  requireKeys(
    others,
    where,
    Object.keys(REPORTS).filter((kind) => !COVERAGE.includes(kind)),
  );
  const reports = Object.entries(others).map(
    ([kind, paths]) => [kind, readNames(paths, `${where}:${kind}`, budget)] as const,
  );
  if (coverage != null) reports.push(readCoverageReport(coverage, `${where}:coverage_report`, budget));
  return Object.fromEntries(reports.flatMap(([kind, paths]) => (paths ? [[kind, paths]] : [])));
}

function readCoverageReport(value: unknown, where: string, budget: ExpansionLimit): readonly [string, string[] | null] {
  if (!isRecord(value)) throw new InvalidConfig(`${where} config should be a hash`);
  const raw: Raw = value;
  requireKeys(raw, where, ['coverage_format', 'path']);
  const format = COVERAGE.find((one) => one === raw.coverage_format);
  if (!format)
    throw new InvalidConfig(`${where} coverage format must be one of supported formats: ${COVERAGE.join(', ')}.`);
  if (raw.path == null) throw new InvalidConfig(`${where} path can't be blank`);
  return [format, readNames(raw.path, where, budget)];
}
