// The characters of a text that is parsed, and where they stand.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>

#include "fastnp/error.h"

namespace fastnp::ir {

/// Walks over a text. Blanks are skipped, but for the ends of lines; comments are found by whoever looks for them.
class Scanner {
public:
    /// `kind`: what it is the text of, for errors.
    Scanner(std::string_view text, const char* kind) : text_(text), kind_(kind) {}

    /// ValueError that names the place.
    [[noreturn]] void fail(const std::string& what) const {
        const std::string_view before = text_.substr(0, at_);
        const auto line = std::count(before.begin(), before.end(), '\n') + 1;
        const std::size_t start = before.find_last_of('\n');
        const std::size_t column = start == std::string_view::npos ? at_ + 1 : at_ - start;
        throw ValueError(std::string(kind_) + " text, line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what);
    }
    [[noreturn]] void expected(const std::string& what) const { fail("expected " + what + ", not " + told()); }

    bool at_end() {
        skip_blanks();
        return at_ == text_.size();
    }
    bool at_line_end() {
        skip_blanks();
        return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == ';';
    }
    /// Past the line's end, a comment before it, and empty lines behind it; gives the comment.
    std::string_view end_line() {
        if (!at_line_end()) expected("the end of the line");
        const std::string_view comment = text_.substr(at_, text_.find('\n', at_) - at_);
        at_ += comment.size();
        skip_empty_lines();
        return comment;
    }
    /// Lines of blanks and comments alone.
    void skip_empty_lines() {
        while (at_line_end() && at_ != text_.size()) at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
    }

    bool sees(std::string_view sign) {
        skip_blanks();
        return text_.substr(at_).starts_with(sign);
    }
    /// Takes the sign if it comes next.
    bool takes(std::string_view sign) {
        if (!sees(sign)) return false;
        at_ += sign.size();
        return true;
    }
    void take(std::string_view sign) {
        if (!takes(sign)) expected("'" + std::string(sign) + "'");
    }
    /// The word that comes next, of letters, digits and `_`; empty if there is none. It stays.
    std::string_view word() {
        skip_blanks();
        std::size_t end = at_;
        while (end < text_.size() && is_letter(text_[end])) ++end;
        return text_.substr(at_, end - at_);
    }
    bool takes_word(std::string_view wanted) {
        if (word() != wanted) return false;
        at_ += wanted.size();
        return true;
    }
    std::string take_word(const char* what) {
        const std::string taken(word());
        if (taken.empty()) expected(what);
        at_ += taken.size();
        return taken;
    }
    /// Characters up to one of these.
    std::string_view take_until(std::string_view ends) {
        const std::size_t end = std::min(text_.find_first_of(ends, at_), text_.size());
        return take(end - at_);
    }
    /// The characters that come next, of these.
    std::string_view peek_of(std::string_view some) {
        skip_blanks();
        return text_.substr(at_, std::min(text_.find_first_not_of(some, at_), text_.size()) - at_);
    }
    std::string_view take(std::size_t count) {
        const std::string_view taken = text_.substr(at_, count);
        at_ += taken.size();
        return taken;
    }

    /// How far the next word of the line is to the right.
    std::size_t indent() {
        skip_blanks();
        const std::size_t before = text_.substr(0, at_).find_last_of('\n');
        return before == std::string_view::npos ? at_ : at_ - before - 1;
    }

    std::size_t place() const { return at_; }
    /// Where the next word is.
    std::size_t next_place() {
        skip_blanks();
        return at_;
    }
    /// Goes back to a place, for an error there or another try.
    void go(std::size_t place) { at_ = place; }

private:
    static bool is_letter(char each) { return std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '_' || (each & 0x80) != 0; }
    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
    }
    std::string told() const {
        if (at_ >= text_.size()) return "the end of the text";
        if (text_[at_] == '\n') return "the end of the line";
        std::size_t end = at_;
        while (end < text_.size() && is_letter(text_[end])) ++end;
        return "'" + std::string(text_.substr(at_, std::max<std::size_t>(end - at_, 1))) + "'";
    }

    std::string_view text_;
    const char* kind_;
    std::size_t at_ = 0;
};

}  // namespace fastnp::ir
