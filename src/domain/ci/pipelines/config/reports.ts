import { InvalidConfig } from '#src/domain/ci/pipelines/config/basis.ts';
import {
  type ExpansionLimit,
  isRecord,
  type Raw,
  readNames,
  requireKeys,
} from '#src/domain/ci/pipelines/config/values.ts';

/** What each kind of report is to the runner: its format, and the name under which it is kept. */
export const REPORTS: Readonly<Record<string, { format: 'gzip' | 'raw'; name: string }>> = {
  junit: { format: 'gzip', name: 'junit.xml' },
  dotenv: { format: 'gzip', name: '.env' },
  cobertura: { format: 'gzip', name: 'cobertura-coverage.xml' },
  jacoco: { format: 'gzip', name: 'jacoco-coverage.xml' },
  metrics: { format: 'gzip', name: 'metrics.txt' },
  annotations: { format: 'gzip', name: 'annotations.json' },
  cyclonedx: { format: 'gzip', name: 'gl-sbom.cdx.json' },
  codequality: { format: 'raw', name: 'gl-code-quality-report.json' },
  terraform: { format: 'raw', name: 'tfplan.json' },
  accessibility: { format: 'raw', name: 'gl-accessibility.json' },
  sast: { format: 'raw', name: 'gl-sast-report.json' },
  dependency_scanning: { format: 'raw', name: 'gl-dependency-scanning-report.json' },
  container_scanning: { format: 'raw', name: 'gl-container-scanning-report.json' },
  secret_detection: { format: 'raw', name: 'gl-secret-detection-report.json' },
  dast: { format: 'raw', name: 'gl-dast-report.json' },
  browser_performance: { format: 'raw', name: 'browser-performance.json' },
  load_performance: { format: 'raw', name: 'load-performance.json' },
  api_fuzzing: { format: 'raw', name: 'gl-api-fuzzing-report.json' },
  coverage_fuzzing: { format: 'raw', name: 'gl-coverage-fuzzing.json' },
  requirements: { format: 'raw', name: 'requirements.json' },
  requirements_v2: { format: 'raw', name: 'requirements_v2.json' },
  license_scanning: { format: 'raw', name: 'gl-license-scanning-report.json' },
  cluster_image_scanning: { format: 'raw', name: 'gl-cluster-image-scanning-report.json' },
  performance: { format: 'raw', name: 'performance.json' },
  repository_xray: { format: 'raw', name: 'gl-repository-xray.json' },
};

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
