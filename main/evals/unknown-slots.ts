import type { Diagnostic } from './case-parser.ts';
import { isSelected, type CaseSelection } from './selection.ts';
import { keptDiagnostics, scanSuite, type SuiteReport } from './suite.ts';

/**
 * A suite's report with a diagnostic for every selected case that expects a slot which the router does not
 * have: such an expectation cannot be met, whatever is chosen. The cases still run.
 *
 * @param agentCount slots of the router
 * @throws EvalError of a suite that can no longer be read
 */
export async function withUnknownSlots(
  suite: SuiteReport,
  path: string,
  selection: CaseSelection,
  agentCount: number,
): Promise<SuiteReport> {
  const diagnostics: Diagnostic[] = [...suite.diagnostics];
  let { moreDiagnostics } = suite;
  for await (const item of scanSuite(path)) {
    if (item.kind !== 'case' || !isSelected(item.case, selection)) continue;
    const { id, expected } = item.case;
    const unknown = expected.agentIds?.filter((agentId) => agentId >= agentCount) ?? [];
    if (unknown.length === 0) continue;
    if (diagnostics.length === keptDiagnostics) moreDiagnostics += 1;
    else {
      const message = `expects slot ${unknown.join(', ')}; the router has 0 to ${agentCount - 1}`;
      const { file, line } = item;
      diagnostics.push({ file, line, caseId: id, code: 'unknown_slot', message });
    }
  }
  return { ...suite, diagnostics, moreDiagnostics };
}
